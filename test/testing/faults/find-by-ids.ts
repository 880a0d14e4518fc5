import { RIGHT, type Row, type Table } from '../table-store.js';
import type { Fault } from './fault.js';

/** Returns a table whose `findByIds` finds the rows that match one of the ids. */
const idsMatch = (matches: (row: Row, id: string) => boolean): Partial<Table> => ({
  byIds: (rows, ids) => rows.filter((row) => ids.some((id) => matches(row, id))),
});

const EACH_ONCE = 'findByIds returns the accounts that exist, each once';
const AGREEMENT = 'findByIds gives the accounts that findById gives';
const OTHER_SPELLING = 'findByIds finds nobody by any other spelling of an id';
const OTHERS_FOUND = 'findByIds takes ids that cannot be stored, and finds the others';

export const findByIdsFaults: readonly Fault[] = [
  {
    title: 'returns null in the list for an unknown id',
    fault: { byIds: (rows, ids) => ids.map((id) => RIGHT.byId(rows, id) ?? null) },
    fails: EACH_ONCE,
    says: /^findByIds\(\["3", "1000", "1"\]\) gave "merchant-3@.*, undefined .*, "merchant-1@.* nothing for the other ids/,
  },
  {
    title: 'returns an account twice in the list',
    fault: { byIds: (rows, ids) => RIGHT.byIds?.(rows, ids).flatMap((row) => [row, row]) ?? [] },
    fails: EACH_ONCE,
    says: /Return each of their accounts once/,
  },
  {
    title: 'returns at most 100 accounts',
    fault: { byIds: (rows, ids) => RIGHT.byIds?.(rows, ids).slice(0, 100) ?? [] },
    fails: 'findByIds takes 500 ids',
    says: /did not find the account "101", .* split the list if the database takes fewer/,
  },
  {
    title: 'forgets tokensValidAfter in the list',
    fault: { toListedAccount: (row) => ({ ...(RIGHT.toAccount(row) as object), tokensValidAfter: null }) },
    fails: AGREEMENT,
    says: /differ in tokensValidAfter of the account "1": null \(object\) and 2026-01-15T12:00:00\.501Z\. Make the account/,
  },
  {
    title: 'returns ids as numbers in the list',
    fault: { toListedAccount: (row) => ({ ...(RIGHT.toAccount(row) as object), id: Number(row.id) }) },
    fails: AGREEMENT,
    says: /differ in id of the account "1": 1 \(number\) and "1"/,
  },
  {
    title: 'reads ids of a list up to the first letter',
    fault: idsMatch((row, id) => row.id === /^\d+/.exec(id)?.[0]),
    fails: OTHER_SPELLING,
    says: /^findByIds\(\["1abc", "1000"\]\) found the account "1"\. .* ids\.filter\(isId\)/,
  },
  {
    title: 'compares ids of a list as numbers',
    fault: idsMatch((row, id) => row.id === id || (+id > 2 ** 52 && +row.id === +id)),
    fails: OTHER_SPELLING,
    says: /^findByIds\(\["9007199254740992", .* found the account "9007199254740993"\. .* Bind a bigint as text or BigInt/,
  },
  {
    title: 'rejects for a list with an id that is not a number',
    fault: {
      byIds(rows, ids) {
        if (!ids.every((id) => /^\d{1,19}$/.test(id))) throw new Error('invalid input syntax.');
        return RIGHT.byIds?.(rows, ids) ?? [];
      },
    },
    fails: OTHERS_FOUND,
    says: /^findByIds\(\["1", "1abc", "2"\]\) rejected: invalid input syntax\. One such id must not fail the call/,
  },
  {
    title: 'finds nobody for a list with an id that is not a number',
    fault: { byIds: (rows, ids) => (ids.includes('abc') ? [] : (RIGHT.byIds?.(rows, ids) ?? [])) },
    fails: OTHERS_FOUND,
    says: /^findByIds\(\["1", "abc", "2"\]\) did not find the account "1"/,
  },
  {
    title: 'rejects for a list without an id that is a number',
    fault: {
      byIds(rows, ids) {
        if (!ids.some(Number)) throw new Error('syntax error near ")".');
        return RIGHT.byIds?.(rows, ids) ?? [];
      },
    },
    fails: OTHERS_FOUND,
    says: /^findByIds\(\["abc", "\\u0000"\]\) rejected: syntax error .* refuse the empty list/,
  },
];
