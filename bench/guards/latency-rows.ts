import { figure, markdownTable } from '../harness/report.js';
import type { Figures, Row, Run } from '../harness/rows.js';
import type { Spread } from '../harness/statistics.js';
import { TURN_HEAD, turnCells, turnFigures, turnRatio } from '../harness/turns.js';
import type { GuardName } from './applications.js';
import { generateKey } from './keys.js';
import { behindNginx, isNginxMissing } from './nginx.js';
import { withDatabase } from './postgres-accounts.js';
import { prepareRequests } from './requests.js';
import { CONNECTIONS, type Front, WARM_UP_ROUNDS, withServers } from './stand.js';

const MINE = 'complete guard';
const AT_ONCE = 'complete guard, at once';
const SIDES: readonly GuardName[] = [MINE, AT_ONCE, 'bare Express', 'bare Express, setImmediate', 'express-jwt'];

const ONE = '1 connection';
const OPEN_LOOP = { connections: CONNECTIONS, perSecond: 3_000 };
/** Closed loops, in which each connection waits for its response, and an open loop with a fixed rate. */
const LOADS: Readonly<Record<string, { readonly connections: number; readonly perSecond?: number }>> = {
  [ONE]: { connections: 1 },
  '8 connections': { connections: 8 },
  '32 connections': { connections: 32 },
  '256 connections': { connections: 256 },
  [`${figure(OPEN_LOOP.perSecond)}/s offered`]: OPEN_LOOP,
};
const LATENCY = `${ONE}, p50 of complete guard over express-jwt`;

type Place = Readonly<{ loads?: readonly string[]; databaseUrl?: string; front?: Front }>;

async function measureLoads(run: Run, { loads = Object.keys(LOADS), databaseUrl, front }: Place): Promise<Figures> {
  const key = generateKey('HS256');
  const setup = { key, ...(databaseUrl !== undefined && { databaseUrl }) };
  const setups = Object.fromEntries(SIDES.map((guard) => [guard, { guard, ...setup }]));
  return withServers({ ...run, front }, setups, async (stand) => {
    await stand.prepare('accepted', prepareRequests(key, 'accepted', 1));
    await stand.turns({ requests: 'accepted' }, WARM_UP_ROUNDS);
    const figures: Record<string, Spread> = {};
    for (const label of loads) {
      const turns = await stand.turns({ requests: 'accepted', ...LOADS[label] });
      Object.assign(figures, turnFigures(label, turns));
      if (label === ONE) figures[LATENCY] = turnRatio(turns, MINE, 'express-jwt', ({ p50 }) => p50);
    }
    return figures;
  });
}

const tableOf = (loads: readonly string[], figures: Figures = {}) =>
  markdownTable(
    ['load', '', ...TURN_HEAD],
    loads.flatMap((label) => SIDES.map((name) => [label, name, ...turnCells(figures, label, name)])),
  );

export const connections: Row = {
  measures: 'latency with 1, 8, 32 and 256 connections, and at a fixed rate',
  targets: { [LATENCY]: { atMost: 1.1 } },
  measure: (run) => measureLoads(run, {}),
  page: ([result]) => tableOf(Object.keys(LOADS), result?.figures),
};

const loads = Object.keys(LOADS).filter((label) => label !== ONE && label !== '256 connections');
const page: Row['page'] = ([result]) => tableOf(loads, result?.figures);

export const nginx: Row = {
  measures: 'latency behind nginx with 8 and 32 connections, and at a fixed rate',
  targets: {},
  isMissing: isNginxMissing,
  measure: (run) => measureLoads(run, { loads, front: behindNginx }),
  page,
};

export const postgres: Row = {
  measures: 'latency with the accounts in PostgreSQL, with 8 and 32 connections, and at a fixed rate',
  targets: {},
  measure: (run) => withDatabase(1_000, (databaseUrl) => measureLoads(run, { loads, databaseUrl })),
  page,
};
