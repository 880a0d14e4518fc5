import { setImmediate } from 'node:timers/promises';
import { type Faults, RIGHT, type Row, type Table } from '../table-store.js';

const replaceWhere = (matches: (row: Row, id: string, current: string) => boolean): Partial<Table> => ({
  replace(rows, id, current, next) {
    const found = rows.filter((row) => matches(row, id, current));
    for (const row of found) row.passwordHash = next;
    return found.length > 0;
  },
});

export const replaceHashFaults: Faults = {
  'cuts the hash that it sets': {
    fault: { replace: (rows, id, current, next) => RIGHT.replace?.(rows, id, current, next.slice(0, 60)) },
    fails: 'replacePasswordHash stores the next hash when the current one is stored',
    says: /findCredentials does not give the next hash/,
  },
  'compares the ends of hashes': {
    fault: replaceWhere((row, id, current) => {
      return row.id === id && row.passwordHash?.slice(-20) === current.slice(-20);
    }),
    fails: 'replacePasswordHash changes nothing when another hash is stored',
    says: /a password change would be undone\. Compare: UPDATE/,
  },
  'claims to have replaced the hash of nobody': {
    fault: {
      replace: (rows, id, current, next) =>
        RIGHT.byId(rows, id) === undefined || RIGHT.replace?.(rows, id, current, next),
    },
    fails: 'replacePasswordHash resolves to false for an unknown id',
    says: /unknown id "7"\. Resolve to true only if a row was updated/,
  },
  'rejects for nobody': {
    fault: {
      replace(rows, id, current, next) {
        if (RIGHT.byId(rows, id) === undefined) throw new Error('no row');
        return RIGHT.replace?.(rows, id, current, next);
      },
    },
    fails: 'replacePasswordHash resolves to false for an unknown id',
    says: /rejected: no row\. Resolve to false when current is not what is stored/,
  },
  'compares hashes in any letter case': {
    fault: replaceWhere((row, id, current) => {
      return row.id === id && row.passwordHash?.toLowerCase() === current.toLowerCase();
    }),
    fails: 'replacePasswordHash compares the current hash exactly',
    says: /utf8mb4_bin/,
  },
  'replaces the hash wherever it stands': {
    fault: {
      replace(rows, id, current, next) {
        const isHeld = RIGHT.replace?.(rows, id, current, next);
        for (const row of rows) if (isHeld && row.passwordHash === current) row.passwordHash = next;
        return isHeld;
      },
    },
    fails: 'replacePasswordHash leaves other accounts alone',
    says: /replaced the hash of the account "2" as well\. Name the id/,
  },
  'resolves to the number of rows': {
    fault: { replace: (...given) => Number(RIGHT.replace?.(...given)) },
    fails: 'replacePasswordHash resolves to a boolean',
    says: /resolved to number\. Resolve to a boolean: affectedRows === 1/,
  },
  'compares first and sets later': {
    fault: {
      async replace(rows, id, current, next) {
        const row = RIGHT.byId(rows, id);
        if (row?.passwordHash !== current) return false;
        await setImmediate();
        row.passwordHash = next;
        return true;
      },
    },
    fails: 'replacePasswordHash resolves to true for one of 50 calls at once',
    says: /^50 of 50 calls .* Let the database compare and set: UPDATE/,
  },
};
