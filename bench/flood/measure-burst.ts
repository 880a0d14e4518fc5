import { setTimeout as sleep } from 'node:timers/promises';
import { openFilesLimit } from '../harness/machine.js';
import { named } from '../harness/problems.js';
import { percentile } from '../harness/statistics.js';
import { type GuardedClient, type Load, type Served, startServer } from './processes.js';
import { countOf } from './answers.js';
import type { Settings } from './settings.js';
import { percentiles } from './stages.js';

/** The figures of a burst of logins. Times in milliseconds, memory in bytes. */
export interface BurstFigures {
  readonly logins: number;
  /** The logins that got a place. */
  readonly admitted: number;
  /** The admitted logins that got neither 200 nor 401. */
  readonly unanswered: number;
  /** The longest time that the event loop of the server was blocked. */
  readonly blockedMs: number;
  /** The same after the burst. Other programs on the machine cause it. */
  readonly blockedAfterwardsMs: number;
  readonly connectMs: number;
  /** From the first login sent to the last answer. */
  readonly answeredMs: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly login: Times;
  readonly guarded: Times & { readonly answered: number };
  readonly guardedAfterwards: Times & { readonly answered: number };
  readonly rss: {
    readonly before: number;
    readonly connected: number;
    readonly peak: number;
    readonly after: number;
  };
  readonly heap: { readonly before: number; readonly after: number };
  readonly problems: Readonly<Record<string, number>>;
}

interface Times {
  readonly p50: number;
  readonly p99: number;
  readonly highest: number;
}

/** The files that a process opens beside its connections. */
const OTHER_FILES = 256;
const WARM_UP_MS = 1_500;
const AFTERWARDS_MS = 2_000;

/** @throws Error when a process may not open as many connections */
export function checkOpenFiles(burst: number): void {
  const [needed, limit] = [burst + OTHER_FILES, openFilesLimit() ?? Infinity];
  if (limit >= needed) return;
  const hint = `Raise it (ulimit -n ${needed}), or offer fewer logins (--burst ${Math.max(0, limit - OTHER_FILES)}).`;
  throw new Error(`A process may open ${limit} files here, and ${burst} connections need ${needed}. ${hint}`);
}

export type BurstSettings = Pick<Settings, 'burst' | 'guarded-rate'>;

/** Sends logins of all kinds from as many sources at once, to a new server with the default throttle. */
export async function measureBurst(load: Load, guarded: GuardedClient, settings: BurstSettings): Promise<BurstFigures> {
  const served = await startServer('bounded');
  try {
    return await served.remote.whileAlive(measure(served, load, guarded, settings));
  } finally {
    await served.remote.end();
  }
}

async function measure(
  served: Served,
  load: Load,
  guarded: GuardedClient,
  settings: BurstSettings,
): Promise<BurstFigures> {
  const { remote: server, port, watching } = served;
  const watchDuring = async <Result>(work: () => Promise<Result>) => {
    await guarded.call('start', { ...watching, perSecond: settings['guarded-rate'] });
    const result = await work();
    return { result, requests: await guarded.call('stop') };
  };

  // A server that has worked for a while: what it has once loaded and compiled is no cost of the burst.
  await load.call('startFlood', { port, count: 8 });
  await watchDuring(() => sleep(WARM_UP_MS));
  await load.call('endFlood');

  const before = await server.call('memory');
  const connectMs = await load.call('connectBurst', { port, logins: settings.burst });
  const connected = await server.call('memory');

  await server.call('watch');
  const { result: answers, requests } = await watchDuring(() => load.call('offerBurst', { pattern: 'strangers' }));
  const { blockedMs, admitted } = await server.call('watched');
  await load.call('endBurst');
  await server.call('watch');
  const { requests: afterwards } = await watchDuring(() => sleep(AFTERWARDS_MS));
  const { blockedMs: blockedAfterwardsMs } = await server.call('watched');
  const after = await server.call('memory');

  return {
    logins: settings.burst,
    admitted,
    unanswered: admitted - countOf(answers, 200) - countOf(answers, 401),
    blockedMs,
    blockedAfterwardsMs,
    connectMs,
    answeredMs: answers.lastMs,
    counts: answers.counts,
    login: timesOf(answers.milliseconds),
    guarded: { answered: requests.milliseconds.length, ...timesOf(requests.milliseconds) },
    guardedAfterwards: { answered: afterwards.milliseconds.length, ...timesOf(afterwards.milliseconds) },
    rss: { before: before.rss, connected: connected.rss, peak: after.peakRss, after: after.rss },
    heap: { before: before.heapUsed, after: after.heapUsed },
    problems: {
      ...named('login', answers.problems),
      ...named('guarded', requests.failures),
      ...named('guarded afterwards', afterwards.failures),
    },
  };
}

function timesOf(milliseconds: readonly number[]): Times {
  return { ...percentiles(milliseconds), highest: percentile(milliseconds, 1) };
}
