import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Remote } from '../harness/processes.js';
import { markdownTable, spread } from '../harness/report.js';
import type { Figures, Row, Run } from '../harness/rows.js';
import { alternate, ratioOf, spreadOf } from '../harness/statistics.js';
import { type Client, startClient, takeTurn, type Turn } from '../harness/turns.js';
import { guardedRequest, loginRequests } from './requests.js';
import type { LoginServerCommands } from './server.js';

const CALLERS = 8;
const FLOOD_CALLERS = 64;
const GUARDED_PER_SECOND = 100;
const GUARDED_CONNECTIONS = 32;

/** A server, and two clients, so that guarded requests do not wait for logins. */
interface Stand {
  readonly server: { readonly remote: Remote<LoginServerCommands>; readonly port: number };
  readonly logins: Client;
  readonly guarded: Client;
  readonly run: Run;
}

async function withStand<Result>(
  run: Run,
  isBounded: boolean,
  use: (stand: Stand) => Promise<Result>,
): Promise<Result> {
  const remote = new Remote<LoginServerCommands>(path.join(__dirname, 'server.js'), { node: run.node.path });
  const [logins, guarded] = [startClient(), startClient()];
  try {
    const { port, token } = await remote.call('listen', { isBounded });
    await Promise.all([
      logins.call('open', { port, count: FLOOD_CALLERS }),
      guarded.call('open', { port, count: GUARDED_CONNECTIONS }),
      logins.call('prepare', { name: 'logins', requests: loginRequests() }),
      guarded.call('prepare', { name: 'guarded', requests: [guardedRequest(token)] }),
    ]);
    const stand: Stand = { server: { remote, port }, logins, guarded, run };
    await logIn(stand, CALLERS, 1_000);
    return await use(stand);
  } finally {
    await Promise.all([remote.end(), logins.end(), guarded.end()]);
  }
}

function logIn({ server, logins, run }: Stand, connections: number, ms: number, settleMs = 400): Promise<Turn> {
  return takeTurn(logins, server, { requests: 'logins', connections, settleMs, ms }, run.problems);
}

const RATE = 'logins per second over the hash library alone, 8 callers';

/** Measures logins over HTTP beside the hash library in the same process. */
function measureLogins(run: Run): Promise<Figures> {
  return withStand(run, true, async (stand) => {
    const turns = await alternate(['login', 'hash'], Math.ceil(run.rounds / 2), async (side) =>
      side === 'login'
        ? (await logIn(stand, CALLERS, 1_500)).perSecond
        : stand.server.remote.call('compare', { callers: CALLERS, ms: 1_500 }),
    );
    return {
      [RATE]: ratioOf(turns.login, turns.hash),
      'logins per second': spreadOf(turns.login),
      'comparisons of the hash library per second': spreadOf(turns.hash),
    };
  });
}

export const logins: Row = {
  measures: 'logins per second, beside the hash library alone',
  targets: { [RATE]: { atLeast: 0.95 } },
  measure: measureLogins,
};

const STAGES = ['idle', 'bounded', 'unbounded'] as const;
const PARTS = ['fs.readFile p50 ms', 'dns.lookup p50 ms', 'guarded p99 ms', 'logins per second'] as const;
const RATIOS = [
  { part: 'fs.readFile p50 ms', above: 'bounded', below: 'unbounded', bound: { atMost: 0.02 } },
  { part: 'dns.lookup p50 ms', above: 'bounded', below: 'unbounded', bound: { atMost: 0.02 } },
  { part: 'logins per second', above: 'bounded', below: 'unbounded', bound: { atLeast: 0.85 } },
  { part: 'guarded p99 ms', above: 'bounded', below: 'idle', bound: { atMost: 5 } },
] as const;
const ratioName = ({ part, above, below }: (typeof RATIOS)[number]) => `${part}, ${above} over ${below}`;
const SETTLE_MS = 1_000;
const FLOOD_MS = 2_500;

async function measureStage(stand: Stand, isFlood: boolean): Promise<Record<(typeof PARTS)[number], number>> {
  const { server, guarded, run } = stand;
  // The flood outlasts the probes, so that a probe is not fast because the flood is over.
  const flood = isFlood ? logIn(stand, FLOOD_CALLERS, FLOOD_MS + 500, SETTLE_MS) : undefined;
  await sleep(SETTLE_MS);
  const sending = { connections: GUARDED_CONNECTIONS, perSecond: GUARDED_PER_SECOND, settleMs: 0, ms: FLOOD_MS };
  const [probes, requests, turn] = await Promise.all([
    server.remote.call('probe', { ms: FLOOD_MS }),
    takeTurn(guarded, server, { requests: 'guarded', ...sending }, run.problems),
    flood,
  ]);
  return {
    'fs.readFile p50 ms': probes.readFile,
    'dns.lookup p50 ms': probes.lookup,
    'guarded p99 ms': requests.p99,
    'logins per second': turn?.perSecond ?? 0,
  };
}

/** Measures a server without logins, one in a flood, and one in a flood that starts each hash at once. */
function measureFlood(run: Run): Promise<Figures> {
  return withStand(run, true, (bounded) =>
    withStand(run, false, async (unbounded) => {
      const all = await alternate(STAGES, Math.ceil(run.rounds / 3), (stage) =>
        measureStage(stage === 'unbounded' ? unbounded : bounded, stage !== 'idle'),
      );
      const read = (stage: (typeof STAGES)[number], part: (typeof PARTS)[number]) => all[stage].map((one) => one[part]);
      const ratios = RATIOS.map((ratio) => {
        const { part, above, below } = ratio;
        return [ratioName(ratio), ratioOf(read(above, part), read(below, part))] as const;
      });
      const stages = STAGES.flatMap((stage) =>
        PARTS.map((part) => [`${stage}: ${part}`, spreadOf(read(stage, part))] as const),
      );
      return Object.fromEntries([...ratios, ...stages]);
    }),
  );
}

export const flood: Row = {
  measures: 'files, names and guarded requests while 64 callers log in',
  targets: Object.fromEntries(RATIOS.map((ratio) => [ratioName(ratio), ratio.bound])),
  measure: measureFlood,
  page: ([result]) =>
    markdownTable(
      ['', 'no logins', 'flood, hashes bounded', 'flood, hashes unbounded'],
      PARTS.map((part) => [part, ...STAGES.map((stage) => spread(result?.figures[`${stage}: ${part}`]))]),
    ),
};
