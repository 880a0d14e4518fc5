import { BARE, measure } from '../harness/measure.js';
import type { Row } from '../harness/report.js';
import type { Blocks } from '../harness/statistics.js';
import { withDatabase } from './database.js';
import { generateKey } from './keys.js';
import { prepareRequests, sideOf } from './sides.js';

const PLAIN = 'plain store';
const BATCHED = 'batched store';
const PEER = 'hand-wired passport-jwt';

const LOADS = {
  // A turn of few requests is longer, because its processor time varies more.
  '1 connection': { connections: 1, ms: 300 },
  '32 connections': { connections: 32, ms: 120 },
  // A turn is longer than several responses of the slowest side.
  '256 connections': { connections: 256, ms: 350 },
};

/** Measures the guard with accounts in PostgreSQL. */
export const database: Row = {
  reference: BATCHED,
  targets: {
    '1 connection': { [PLAIN]: 0.95 },
    '32 connections': { [PLAIN]: 1.6, [PEER]: 2.5 },
    '256 connections': { [PLAIN]: 2, [PEER]: 2.5 },
  },
  measure: (run) =>
    withDatabase(async (url) => {
      const key = generateKey('HS256');
      const requests = prepareRequests(key, 1_000);
      const plain = { key, accounts: { url, isBatched: false } };
      const batched = { key, accounts: { url, isBatched: true } };
      const sides = {
        'accounts in memory': sideOf({ guard: 'complete guard', key }, requests),
        [PLAIN]: sideOf({ guard: 'complete guard', ...plain }, requests),
        [BATCHED]: sideOf({ guard: 'complete guard', ...batched }, requests),
        [PEER]: sideOf({ guard: 'passport-jwt, string', ...plain }, requests),
      };
      const bare = sideOf({ guard: BARE, key }, requests);
      const columns: Record<string, Blocks> = {};
      for (const [label, load] of Object.entries(LOADS)) columns[label] = await measure({ bare, sides, ...load }, run);
      return columns;
    }),
};
