import { setTimeout as sleep } from 'node:timers/promises';
import type { Timings } from '../harness/loops.js';
import { named } from '../harness/problems.js';
import { percentile } from '../harness/statistics.js';
import type { GuardedClient, Load, Served } from './processes.js';
import type { Settings } from './settings.js';

export const STAGES = ['idle', 'bounded', 'unbounded'] as const;
/** The stages of bench:flood. */
export type FloodStage = (typeof STAGES)[number];
export type Stage = FloodStage | 'one slot more';

/** The figures of one stage in one round. Times in milliseconds. */
export interface StageFigures {
  /** By status and error code. */
  readonly loginsPerSecond: Readonly<Record<string, number>>;
  readonly login: Percentiles;
  readonly guarded: Percentiles & { readonly answered: number };
  readonly readFile: Percentiles & { readonly answered: number };
  readonly lookup: Percentiles & { readonly answered: number };
  /** How many cores the server kept busy: on a shared machine, also how many it got. */
  readonly coresUsed: number;
  readonly problems: Readonly<Record<string, number>>;
}

interface Percentiles {
  readonly p50: number;
  readonly p99: number;
}

export type StageSettings = Pick<Settings, 'seconds' | 'rounds' | 'callers' | 'guarded-rate'>;

export interface Stand {
  readonly load: Load;
  readonly guarded: GuardedClient;
  readonly settings: StageSettings;
}

const SETTLE_MS = 1_000;

/**
 * Measures one stage. The flood goes on until all that began in the time measured has ended, so that nothing is seen to
 * be fast only because the flood was over.
 */
export function measureStage(stand: Stand, stage: Stage, served: Served): Promise<StageFigures> {
  return served.remote.whileAlive(measure(stand, stage, served));
}

async function measure({ load, guarded, settings }: Stand, stage: Stage, served: Served): Promise<StageFigures> {
  const { remote: server, port, watching } = served;
  if (stage !== 'idle') await load.call('startFlood', { port, count: settings.callers });
  await sleep(SETTLE_MS);

  await guarded.call('start', { ...watching, perSecond: settings['guarded-rate'] });
  const [cpuBefore] = await Promise.all([
    server.call('cpuTime'),
    server.call('startProbes'),
    load.call('recountFlood'),
  ]);
  const startedAt = performance.now();
  await sleep(settings.seconds * 1000);
  const [answers, cpuAfter] = await Promise.all([load.call('recountFlood'), server.call('cpuTime')]);
  const elapsedMs = performance.now() - startedAt;
  const [requests, { readFile, lookup }] = await Promise.all([guarded.call('stop'), server.call('stopProbes')]);

  await load.call('endFlood');
  const logins = Object.entries(answers?.counts ?? {});
  return {
    loginsPerSecond: Object.fromEntries(logins.map(([answer, count]) => [answer, (count / elapsedMs) * 1000])),
    login: percentiles(answers?.milliseconds ?? []),
    guarded: countAndPercentiles(requests),
    readFile: countAndPercentiles(readFile),
    lookup: countAndPercentiles(lookup),
    coresUsed: (cpuAfter - cpuBefore) / elapsedMs,
    problems: {
      ...named('login', answers?.problems ?? {}),
      ...named('guarded', requests.failures),
      ...named('fs.readFile', readFile.failures),
      ...named('dns.lookup', lookup.failures),
    },
  };
}

function countAndPercentiles({ milliseconds }: Timings) {
  return { answered: milliseconds.length, ...percentiles(milliseconds) };
}

/** Of a number of times, in milliseconds. */
export function percentiles(milliseconds: readonly number[]): Percentiles {
  return { p50: percentile(milliseconds, 0.5), p99: percentile(milliseconds, 0.99) };
}
