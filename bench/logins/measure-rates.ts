import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Load, type Served, startLoad, startServer } from '../flood/processes.js';
import type { LoginKind } from '../flood/server.js';
import { alternate, type Ratio } from '../guards/turns.js';
import { collect, named, type Problems } from '../harness/problems.js';
import { spreadOf } from '../harness/statistics.js';

export interface RatePace {
  readonly rounds: number;
  /** The time for which a turn is counted. */
  readonly sliceMs: number;
  /** The number of logins, or of comparisons, at a time. */
  readonly callers: number;
}

/** One turn of a side. */
export interface RateTurn {
  readonly perSecond: number;
  /** The processor time of the server for each login, in milliseconds. */
  readonly cpuMs: number;
  readonly problems: Problems;
}

export type Side = 'login' | 'login, one slot more' | 'bare Express' | 'hash library alone';
export type RateTurns<Measured extends Side> = Readonly<Record<Measured, readonly RateTurn[]>>;

/** The server of each side. */
const SERVED_BY: Readonly<Record<Side, { readonly kind: LoginKind; readonly slots?: number }>> = {
  login: { kind: 'bounded' },
  'login, one slot more': { kind: 'bounded', slots: availableParallelism() + 1 },
  'bare Express': { kind: 'bare' },
  'hash library alone': { kind: 'bounded' },
};
const SETTLE_MS = 400;

/** Measures the sides in turn: right passwords, each for another account. */
export async function measureRates<Measured extends Side>(
  sides: readonly Measured[],
  pace: RatePace,
): Promise<RateTurns<Measured>> {
  const load = startLoad();
  const servers = new Map<string, Served>();
  try {
    const entries: { readonly name: Measured; readonly served: Served }[] = [];
    for (const name of sides) {
      const { kind, slots = 0 } = SERVED_BY[name];
      const key = `${kind} ${slots}`;
      const served = servers.get(key) ?? (await startServer(kind, slots));
      servers.set(key, served);
      entries.push({ name, served });
    }
    const turn = ({ name, served }: (typeof entries)[number]) =>
      served.remote.whileAlive(
        name === 'hash library alone' ? compareAlone(served, pace) : logInOverHttp(name, load, served, pace),
      );
    await alternate(entries, { rounds: 1 }, turn);
    return await alternate(entries, pace, turn);
  } finally {
    await Promise.all([...servers.values()].map(({ remote }) => remote.end()));
    await load.end();
  }
}

async function logInOverHttp(side: Side, load: Load, served: Served, pace: RatePace): Promise<RateTurn> {
  await load.call('startFlood', { port: served.port, count: pace.callers });
  await sleep(SETTLE_MS);
  const [before] = await Promise.all([served.remote.call('cpuTime'), load.call('recountFlood')]);
  const startedAt = performance.now();
  await sleep(pace.sliceMs);
  const [after, answers] = await Promise.all([served.remote.call('cpuTime'), load.call('recountFlood')]);
  const elapsedMs = performance.now() - startedAt;
  await load.call('endFlood');
  const loggedIn = answers?.counts['200'] ?? 0;
  return {
    perSecond: (loggedIn / elapsedMs) * 1000,
    cpuMs: (after - before) / loggedIn,
    problems: named(side, answers?.problems ?? {}),
  };
}

async function compareAlone({ remote }: Served, { callers, sliceMs }: RatePace): Promise<RateTurn> {
  const before = await remote.call('cpuTime');
  const { perSecond, total } = await remote.call('verifyAlone', { callers, settleMs: SETTLE_MS, ms: sliceMs });
  const after = await remote.call('cpuTime');
  return { perSecond, cpuMs: (after - before) / total, problems: {} };
}

export function rateProblems(turns: RateTurns<Side> | Partial<RateTurns<Side>>): Problems {
  const problems: Record<string, number> = {};
  for (const turn of Object.values(turns).flat()) collect(problems, turn.problems);
  return problems;
}

/** One side over another, of the same round each: 1 when both are as fast. */
export function rateRatio(above: readonly RateTurn[], below: readonly RateTurn[]): Ratio {
  const over = (read: (turn: RateTurn) => number) =>
    spreadOf(above.map((turn, round) => read(turn) / read(below[round] ?? turn)));
  return { rate: over(({ perSecond }) => perSecond), cpu: over(({ cpuMs }) => 1 / cpuMs) };
}
