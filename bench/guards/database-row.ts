import type { Bound, Figures, Row, Run } from '../harness/rows.js';
import { BARE, figuresOf, type Part, ratio, ratioName, tableOf } from '../harness/sides.js';
import type { Blocks } from '../harness/statistics.js';
import { DATABASES, withDatabase } from './databases.js';
import { generateKey } from './keys.js';
import { prepareRequests } from './requests.js';
import { inTwoSets, type Load, withServers } from './stand.js';

const PLAIN = 'plain store';
const BATCHED = 'batched store';
const PEER = 'hand-wired passport-jwt';
const SIDES = ['accounts in memory', PLAIN, BATCHED, PEER] as const;
const LINES = [BARE, ...SIDES];

const LOADS: Readonly<Record<string, Load>> = {
  // A slice of few requests is longer, because its processor time varies more.
  '1 connection': { connections: 1, ms: 300 },
  '8 connections': { connections: 8, ms: 300 },
  '32 connections': { connections: 32 },
  // A slice is longer than two responses of the slowest side, so that it counts their whole latency.
  '256 connections': { connections: 256, ms: 350 },
  '2000/s offered': { connections: 32, perSecond: 2_000, ms: 700 },
};

/** The loads of the table. It leaves out 8 connections, because 1 and 32 are enough for a reader. */
const LOADS_IN_TABLE = Object.keys(LOADS).filter((load) => load !== '8 connections');

const key = generateKey('HS256');

async function measureDatabase(run: Run, database: (typeof DATABASES)[number]): Promise<Figures> {
  const measured = await inTwoSets(run, (half) =>
    withDatabase(database, (url) => {
      const setups = {
        'accounts in memory': { guard: 'complete guard' },
        [PLAIN]: { guard: 'complete guard', accounts: { url, isBatched: false } },
        [BATCHED]: { guard: 'complete guard', accounts: { url, isBatched: true } },
        [PEER]: { guard: 'passport-jwt, string', accounts: { url, isBatched: false } },
      } as const;
      return withServers(half, key, setups, async (stand) => {
        // Each request of a batch has another account, as with real merchants.
        await stand.prepare('accepted', prepareRequests(key, 'accepted', 1_000));
        const sides = Object.fromEntries(SIDES.map((server) => [server, { server, requests: 'accepted' }]));
        const loads: Record<string, Blocks<Part>> = {};
        for (const [load, sending] of Object.entries(LOADS)) {
          // Few requests come alone when there are many, so each load needs its own statements and compiled code.
          await stand.warmUp(sides, sending);
          loads[load] = await stand.compare(sides, sending);
        }
        return loads;
      });
    }),
  );
  const figures = Object.entries(measured).flatMap(([load, blocks]) => {
    const label = `${database}, ${load}`;
    return [figuresOf(label, blocks, BATCHED), ratio(label, blocks, BATCHED, PLAIN, 'p99 ms')];
  });
  return Object.assign({}, ...figures) as Figures;
}

function targets(): Record<string, Bound> {
  const all: Record<string, Bound> = {};
  for (const database of DATABASES) {
    const over = (load: string, above: string) => ratioName(`${database}, ${load}`, above, BATCHED);
    all[over('1 connection', PLAIN)] = { atLeast: 0.95 };
    all[over('32 connections', PLAIN)] = { atLeast: 1.6 };
    all[over('256 connections', PLAIN)] = { atLeast: 2 };
    for (const load of ['32 connections', '256 connections']) all[over(load, PEER)] = { atLeast: 2.5 };
    for (const load of Object.keys(LOADS)) {
      all[ratioName(`${database}, ${load}`, BATCHED, PLAIN, 'p99 ms')] = { atMost: 1 };
    }
  }
  return all;
}

export const database: Row = {
  measures: 'the guard with accounts in PostgreSQL and MariaDB, with 1 to 256 connections and at a fixed rate',
  targets: targets(),
  async measure(run) {
    const all: Figures[] = [];
    for (const name of DATABASES) all.push(await measureDatabase(run, name));
    return Object.assign({}, ...all) as Figures;
  },
  table: (figures) => {
    const lines = LOADS_IN_TABLE.flatMap((load) =>
      LINES.map((name) => ({ cells: [load, name], name, labels: DATABASES.map((one) => `${one}, ${load}`) })),
    );
    return tableOf(['load', 'accounts'], DATABASES, BATCHED, lines, figures);
  },
  isOnPage: true,
};
