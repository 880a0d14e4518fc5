import { setTimeout as sleep } from 'node:timers/promises';
import { named } from '../harness/problems.js';
import { percentile } from '../harness/statistics.js';
import { type GuardedClient, type Load, type Served, startServer } from './processes.js';
import type { Settings } from './settings.js';
import { percentiles } from './stages.js';

/** What a burst of logins showed. Times in milliseconds, memory in bytes. */
export interface BurstFigures {
  readonly logins: number;
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

/** A login that has no answer by then never gets one. */
const WITHIN_MS = 40_000;
const WARM_UP_MS = 1_500;
const AFTERWARDS_MS = 2_000;

/** Offers logins of all kinds at once to a server of its own, with the default throttle. */
export async function measureBurst(load: Load, guarded: GuardedClient, settings: Settings): Promise<BurstFigures> {
  const served = await startServer('bounded');
  try {
    return await served.remote.whileAlive(measure(served, load, guarded, settings));
  } finally {
    await served.remote.end();
  }
}

async function measure(served: Served, load: Load, guarded: GuardedClient, settings: Settings): Promise<BurstFigures> {
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

  const { result, requests } = await watchDuring(async () => {
    const startedAt = performance.now();
    const answers = await load.call('offerBurst', { withinMs: WITHIN_MS });
    return { answers, answeredMs: performance.now() - startedAt };
  });
  const { requests: afterwards } = await watchDuring(() => sleep(AFTERWARDS_MS));
  const after = await server.call('memory');

  const { answers, answeredMs } = result;
  return {
    logins: settings.burst,
    connectMs,
    answeredMs,
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
