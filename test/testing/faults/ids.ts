import { account, type Faults, listed, RIGHT, type Row, type Table } from '../table-store.js';

const OTHER_SPELLING = 'an id finds nobody in any other spelling';
const BIG_IDS = 'ids beyond 2^53 are exact';

export const idFaults: Faults = {
  'reads ids up to the first letter': {
    fault: { byId: (rows, id) => RIGHT.byId(rows, /^\d+/.exec(id)?.[0] ?? '') },
    fails: OTHER_SPELLING,
    says: /findById\("1abc"\) found the account "1"\. .* resolve to null unless the text is what String\(row\.id\) gives/,
  },
  'reads ids modulo 2^64': {
    fault: { byId: (rows, id) => RIGHT.byId(rows, /^[1-9]\d+$/.test(id) ? `${BigInt.asUintN(64, BigInt(id))}` : id) },
    fails: OTHER_SPELLING,
    says: /findById\("18446744073709551617"\) found/,
  },
  'finds UUIDs in upper case too': {
    fault: {
      store: (row) => ({ ...row, id: `00000000-0000-4000-8000-${row.id.padStart(11, '0')}a` }),
      byId: (rows, id) => RIGHT.byId(rows, id.toLowerCase()),
      idsOf: (rows) => rows.map(({ id }) => id),
    },
    fails: OTHER_SPELLING,
    says: /1A"\) found the account "00000000-0000-4000-8000-00000000001a"/,
  },
  'rejects for ids that are not numbers': {
    fault: {
      byId(rows, id) {
        if (!/^\d{1,19}$/.test(id)) throw new Error('invalid input syntax');
        return RIGHT.byId(rows, id);
      },
    },
    fails: 'an id that cannot be stored resolves to null',
    says: /rejected: invalid input syntax\. .* before the database is asked\. For a bigint key: if \(!/,
  },
  'returns ids as numbers': {
    fault: account(({ id }) => ({ id: Number(id) })),
    fails: 'ids are strings',
    says: /^findById\("1"\) returned the id 1 \(number\)\. Return String\(row\.id\), because it becomes the token's sub\.$/,
  },
  'reads ids as numbers on their way out': {
    fault: account(({ id }) => ({ id: String(Number(id)) })),
    fails: BIG_IDS,
    says: /returned the id "9007199254740992"\. Read a bigint as text/,
  },
  'reads ids as numbers on their way in': {
    fault: {
      byId: (rows, id) =>
        rows.find((row) => row.id === id || (id.length < 20 && /^[1-9]\d+$/.test(id) && +row.id === +id)),
    },
    fails: BIG_IDS,
    says: /findById\("9007199254740993"\) found another account\. .* bind the id as text/,
  },
};

/** Returns a table whose `findByIds` finds the rows that match one of the ids. */
const idsMatch = (matches: (row: Row, id: string) => boolean): Partial<Table> => ({
  byIds: (rows, ids) => rows.filter((row) => ids.some((id) => matches(row, id))),
});

const EACH_ONCE = 'findByIds returns the accounts that exist, each once';
const AGREEMENT = 'findByIds gives the accounts that findById gives';
const OTHER_LISTED = 'findByIds finds nobody by any other spelling of an id';
const OTHERS_FOUND = 'findByIds takes ids that cannot be stored, and finds the others';

export const findByIdsFaults: Faults = {
  'returns null in the list for an unknown id': {
    fault: { byIds: (rows, ids) => ids.map((id) => RIGHT.byId(rows, id) ?? null) },
    fails: EACH_ONCE,
    says: /^findByIds\(\["3", "1000", "1"\]\) gave "3", undefined .*, "1", .* nothing for the other ids/,
  },
  'returns an account twice in the list': {
    fault: { byIds: (rows, ids) => RIGHT.byIds?.(rows, ids).flatMap((row) => [row, row]) ?? [] },
    fails: EACH_ONCE,
    says: /Return each of their accounts once/,
  },
  'returns at most 100 accounts': {
    fault: { byIds: (rows, ids) => RIGHT.byIds?.(rows, ids).slice(0, 100) ?? [] },
    fails: 'findByIds takes 500 ids',
    says: /did not find the account "101", .* split the list if the database takes fewer/,
  },
  'forgets tokensValidAfter in the list': {
    fault: listed(() => ({ tokensValidAfter: null })),
    fails: AGREEMENT,
    says: /differ in tokensValidAfter of the account "1": null \(object\) and 2026-01-15T12:00:00\.501Z\. Make the account/,
  },
  'reads ids of a list up to the first letter': {
    fault: idsMatch((row, id) => row.id === /^\d+/.exec(id)?.[0]),
    fails: OTHER_LISTED,
    says: /^findByIds\(\["1abc", "1000"\]\) found the account "1"\. .* ids\.filter\(isId\)/,
  },
  'compares ids of a list as numbers': {
    fault: idsMatch((row, id) => row.id === id || (+id > 2 ** 52 && +row.id === +id)),
    fails: OTHER_LISTED,
    says: /^findByIds\(\["9007199254740992", .* found the account "9007199254740993"\. .* Bind a bigint as text or BigInt/,
  },
  'rejects for a list with an id that is not a number': {
    fault: {
      byIds(rows, ids) {
        if (!ids.every((id) => /^\d{1,19}$/.test(id))) throw new Error('invalid input syntax.');
        return RIGHT.byIds?.(rows, ids) ?? [];
      },
    },
    fails: OTHERS_FOUND,
    says: /^findByIds\(\["1", "1abc", "2"\]\) rejected: invalid input syntax\. One such id must not fail the call/,
  },
  'finds nobody for a list with an id that is not a number': {
    fault: { byIds: (rows, ids) => (ids.includes('abc') ? [] : (RIGHT.byIds?.(rows, ids) ?? [])) },
    fails: OTHERS_FOUND,
    says: /^findByIds\(\["1", "abc", "2"\]\) did not find the account "1"/,
  },
  'rejects for a list without an id that is a number': {
    fault: {
      byIds(rows, ids) {
        if (!ids.some(Number)) throw new Error('syntax error near ")".');
        return RIGHT.byIds?.(rows, ids) ?? [];
      },
    },
    fails: OTHERS_FOUND,
    says: /^findByIds\(\["abc", "\\u0000"\]\) rejected: syntax error .* refuse the empty list/,
  },
};
