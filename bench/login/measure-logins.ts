import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Load, type Served, startLoad, startServer } from '../flood/processes.js';
import type { LoginKind } from '../flood/server.js';
import { percentiles } from '../flood/stages.js';
import { alternate, type Ratio } from '../guards/turns.js';
import { coreTimes } from '../harness/cpu-time.js';
import { collect, named, type Problems } from '../harness/problems.js';
import { spreadOf } from '../harness/statistics.js';

/** How many log in at a time, and for how long is counted. */
export interface LoginPace {
  readonly rounds: number;
  readonly sliceMs: number;
  readonly callers: number;
  /** The hashes at a time; 0 or absent for the package's default. */
  readonly maxConcurrentHashes?: number;
}

/** One turn of a side. */
export interface LoginTurn {
  readonly perSecond: number;
  /** What the server's threads worked, in milliseconds for each. */
  readonly cpuMs: number;
  /** Of that, the thread of its event loop. */
  readonly loopMs: number;
  /** What the process worked that logs in. */
  readonly callersMs?: number;
  /** Of the time of the machine's cores, the part in which they had nothing to do. */
  readonly idle?: number;
  /** Of a login over HTTP, in milliseconds. */
  readonly latency?: { readonly p50: number; readonly p99: number };
  readonly problems: Problems;
}

/** What is compared. Bare Express parses, compares by the hash library and answers; it shows what HTTP costs here. */
export const SIDES = ['login over HTTP', 'bare Express', 'hash library alone'] as const;
/** The two that the target compares. */
export const TARGET_SIDES = ['login over HTTP', 'hash library alone'] as const;
export type Side = (typeof SIDES)[number];
export type LoginTurns<Measured extends Side = Side> = Readonly<Record<Measured, readonly LoginTurn[]>>;

/** In whose process a side is measured. */
const SERVED_BY: Readonly<Record<Side, LoginKind>> = {
  'login over HTTP': 'bounded',
  'bare Express': 'bare',
  'hash library alone': 'bounded',
};
const SETTLE_MS = 400;

/** Logins with the right password, beside the hash library alone in the process that serves them. */
export async function measureLogins<Measured extends Side>(
  pace: LoginPace,
  sides: readonly Measured[],
): Promise<LoginTurns<Measured>> {
  const load = startLoad();
  const servers = new Map<LoginKind, Served>();
  try {
    for (const kind of new Set(sides.map((side) => SERVED_BY[side]))) {
      servers.set(kind, await startServer(kind, pace.maxConcurrentHashes));
    }
    const entries = sides.map((name) => ({ name, served: servers.get(SERVED_BY[name]) }));
    const turn = ({ name, served }: (typeof entries)[number]) => {
      if (served === undefined) throw new Error(`no server for ${name}`);
      const measured =
        name === 'hash library alone' ? measureAlone(served, pace) : measureHttp(name, load, served, pace);
      return served.remote.whileAlive(measured);
    };
    await alternate(entries, { rounds: 1 }, turn);
    return await alternate(entries, pace, turn);
  } finally {
    await Promise.all([...servers.values()].map(({ remote }) => remote.end()));
    await load.end();
  }
}

async function measureHttp(
  side: Side,
  load: Load,
  served: Served,
  { callers, sliceMs }: LoginPace,
): Promise<LoginTurn> {
  await load.call('startFlood', { port: served.port, count: callers });
  await sleep(SETTLE_MS);
  const before = await timesOf(served);
  const [callersBefore] = await Promise.all([load.call('cpuTime'), load.call('recountFlood')]);
  const [startedAt, coresBefore] = [performance.now(), coreTimes()];
  await sleep(sliceMs);
  const coresAfter = coreTimes();
  const after = await timesOf(served);
  const [callersAfter, answers] = await Promise.all([load.call('cpuTime'), load.call('recountFlood')]);
  const elapsedMs = performance.now() - startedAt;
  await load.call('endFlood');
  const loggedIn = answers?.counts['200'] ?? 0;
  return {
    perSecond: (loggedIn / elapsedMs) * 1000,
    cpuMs: (after.all - before.all) / loggedIn,
    loopMs: (after.loop - before.loop) / loggedIn,
    callersMs: (callersAfter - callersBefore) / loggedIn,
    idle: (coresAfter.idle - coresBefore.idle) / (coresAfter.all - coresBefore.all),
    latency: percentiles(answers?.milliseconds ?? []),
    problems: named(side, answers?.problems ?? {}),
  };
}

async function measureAlone(served: Served, { callers, sliceMs }: LoginPace): Promise<LoginTurn> {
  const before = await timesOf(served);
  const { perSecond, total } = await served.remote.call('verifyAlone', { callers, settleMs: SETTLE_MS, ms: sliceMs });
  const after = await timesOf(served);
  return {
    perSecond,
    // Of all that were verified meanwhile, also while it settled and after the count.
    cpuMs: (after.all - before.all) / total,
    loopMs: (after.loop - before.loop) / total,
    problems: {},
  };
}

async function timesOf({ remote }: Served): Promise<{ readonly all: number; readonly loop: number }> {
  const [all, loop] = await Promise.all([remote.call('cpuTime'), remote.call('loopCpuTime')]);
  return { all, loop };
}

export function loginProblems(turns: Readonly<Partial<LoginTurns>>): Problems {
  const problems: Record<string, number> = {};
  for (const turn of Object.values(turns).flat()) collect(problems, turn.problems);
  return problems;
}

/** Logins of a side over the hash library alone, of the same round each: 1 when nothing but the hash is paid. */
export function loginRatio<Measured extends Side>(
  turns: LoginTurns<Measured | 'hash library alone'>,
  side: Measured,
): Ratio {
  const alone = turns['hash library alone'];
  const over = (read: (turn: LoginTurn) => number) =>
    spreadOf(turns[side].map((turn, round) => read(turn) / read(alone[round] ?? turn)));
  return { rate: over(({ perSecond }) => perSecond), cpu: over(({ cpuMs }) => 1 / cpuMs) };
}
