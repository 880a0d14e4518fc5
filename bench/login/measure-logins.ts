import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Load, type Served, startLoad, startServer } from '../flood/processes.js';
import { percentiles } from '../flood/stages.js';
import { alternate, type Ratio } from '../guards/turns.js';
import { collect, named, type Problems } from '../harness/problems.js';
import { spreadOf } from '../harness/statistics.js';

/** How many log in at a time, and for how long is counted. */
export interface LoginPace {
  readonly rounds: number;
  readonly sliceMs: number;
  readonly callers: number;
}

/** One turn, of logins over HTTP or of the hash library alone. */
export interface LoginTurn {
  readonly perSecond: number;
  /** What the server's threads worked, in milliseconds for each. */
  readonly cpuMs: number;
  /** Of that, the thread of its event loop. */
  readonly loopMs: number;
  /** What the process worked that logs in. */
  readonly callersMs?: number;
  /** Of a login over HTTP, in milliseconds. */
  readonly latency?: { readonly p50: number; readonly p99: number };
  readonly problems: Problems;
}

export const SIDES = ['login over HTTP', 'hash library alone'] as const;
export type Side = (typeof SIDES)[number];
export type LoginTurns = Readonly<Record<Side, readonly LoginTurn[]>>;

const SETTLE_MS = 400;

/** Logins with the right password, beside the hash library alone in the same process. */
export async function measureLogins(pace: LoginPace): Promise<LoginTurns> {
  const load = startLoad();
  const served = await startServer('bounded');
  const measure: Record<Side, () => Promise<LoginTurn>> = {
    'login over HTTP': () => measureHttp(load, served, pace),
    'hash library alone': () => measureAlone(served, pace),
  };
  const entries = SIDES.map((name) => ({ name }));
  const turn = ({ name }: { readonly name: Side }) => served.remote.whileAlive(measure[name]());
  try {
    await alternate(entries, { rounds: 1 }, turn);
    return await alternate(entries, pace, turn);
  } finally {
    await Promise.all([served.remote.end(), load.end()]);
  }
}

async function measureHttp(load: Load, served: Served, { callers, sliceMs }: LoginPace): Promise<LoginTurn> {
  await load.call('startFlood', { port: served.port, count: callers });
  await sleep(SETTLE_MS);
  const before = await timesOf(served);
  const [callersBefore] = await Promise.all([load.call('cpuTime'), load.call('recountFlood')]);
  const startedAt = performance.now();
  await sleep(sliceMs);
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
    latency: percentiles(answers?.milliseconds ?? []),
    problems: named('login', answers?.problems ?? {}),
  };
}

async function measureAlone(served: Served, { callers, sliceMs }: LoginPace): Promise<LoginTurn> {
  const before = await timesOf(served);
  const perSecond = await served.remote.call('verifyAlone', { callers, settleMs: SETTLE_MS, ms: sliceMs });
  const after = await timesOf(served);
  // Of the settling too, during which the same is done.
  const verified = (perSecond * (SETTLE_MS + sliceMs)) / 1000;
  return {
    perSecond,
    cpuMs: (after.all - before.all) / verified,
    loopMs: (after.loop - before.loop) / verified,
    problems: {},
  };
}

async function timesOf({ remote }: Served): Promise<{ readonly all: number; readonly loop: number }> {
  const [all, loop] = await Promise.all([remote.call('cpuTime'), remote.call('loopCpuTime')]);
  return { all, loop };
}

export function loginProblems(turns: LoginTurns): Problems {
  const problems: Record<string, number> = {};
  for (const turn of SIDES.flatMap((side) => turns[side])) collect(problems, turn.problems);
  return problems;
}

/** Logins over the hash library alone, of the same round each: 1 when nothing but the hash is paid. */
export function loginRatio(turns: LoginTurns): Ratio {
  const over = (read: (turn: LoginTurn) => number) =>
    spreadOf(
      turns['login over HTTP'].map((turn, round) => read(turn) / read(turns['hash library alone'][round] ?? turn)),
    );
  return { rate: over(({ perSecond }) => perSecond), cpu: over(({ cpuMs }) => 1 / cpuMs) };
}
