import { RIGHT } from '../table-store.js';
import { account, type Fault } from './fault.js';

const OTHER_SPELLING = 'an id finds nobody in any other spelling';
const BIG_IDS = 'ids beyond 2^53 are exact';

export const idFaults: readonly Fault[] = [
  {
    title: 'reads ids up to the first letter',
    fault: { byId: (rows, id) => RIGHT.byId(rows, /^\d+/.exec(id)?.[0] ?? '') },
    fails: OTHER_SPELLING,
    says: /findById\("1abc"\) found the account "1"\. .* resolve to null unless the text is what String\(row\.id\) gives/,
  },
  {
    title: 'reads ids modulo 2^64',
    fault: { byId: (rows, id) => RIGHT.byId(rows, /^[1-9]\d+$/.test(id) ? `${BigInt.asUintN(64, BigInt(id))}` : id) },
    fails: OTHER_SPELLING,
    says: /findById\("18446744073709551617"\) found/,
  },
  {
    title: 'finds UUIDs in upper case too',
    fault: {
      store: (row) => ({ ...row, id: `00000000-0000-4000-8000-${row.id.padStart(11, '0')}a` }),
      byId: (rows, id) => RIGHT.byId(rows, id.toLowerCase()),
      idsOf: (rows) => rows.map(({ id }) => id),
    },
    fails: OTHER_SPELLING,
    says: /1A"\) found the account "00000000-0000-4000-8000-00000000001a"/,
  },
  {
    title: 'rejects for ids that are not numbers',
    fault: {
      byId(rows, id) {
        if (!/^\d{1,19}$/.test(id)) throw new Error('invalid input syntax');
        return RIGHT.byId(rows, id);
      },
    },
    fails: 'an id that cannot be stored resolves to null',
    says: /rejected: invalid input syntax\. .* before the database is asked\. For a bigint key: if \(!/,
  },
  {
    title: 'returns ids as numbers',
    fault: account(({ id }) => ({ id: Number(id) })),
    fails: 'ids are strings',
    says: /^findById\("1"\) returned the id 1 \(number\)\. Return String\(row\.id\), because it becomes the token's sub\.$/,
  },
  {
    title: 'reads ids as numbers on their way out',
    fault: account(({ id }) => ({ id: String(Number(id)) })),
    fails: BIG_IDS,
    says: /returned the id "9007199254740992"\. Read a bigint as text/,
  },
  {
    title: 'reads ids as numbers on their way in',
    fault: {
      byId: (rows, id) =>
        rows.find((row) => row.id === id || (id.length < 20 && /^[1-9]\d+$/.test(id) && +row.id === +id)),
    },
    fails: BIG_IDS,
    says: /findById\("9007199254740993"\) found another account\. .* bind the id as text/,
  },
];
