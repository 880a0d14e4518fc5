import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { alternate } from '../guards/turns.js';
import { collect, named, type Problems } from '../harness/problems.js';
import { stage } from '../harness/progress.js';
import { figure } from '../harness/table.js';
import { type GuardedClient, type Load, type Served, startServer } from './processes.js';
import { measureStage, type Stage, type StageFigures, type StageSettings } from './stages.js';

export type Rounds<Measured extends Stage> = Readonly<Record<Measured, readonly StageFigures[]>>;

const WARM_UP_MS = 1_000;

/** Measures the stages in turn, with another one first in each round. */
export async function measureRounds<Measured extends Stage>(
  stages: readonly Measured[],
  load: Load,
  guarded: GuardedClient,
  settings: StageSettings,
): Promise<Rounds<Measured>> {
  const bounded = await startServer('bounded');
  const servers: Partial<Record<Stage, Served>> = { idle: bounded, bounded };
  try {
    if (stages.some((name) => name === 'unbounded')) servers.unbounded = await startServer('unbounded');
    if (stages.some((name) => name === 'one slot more')) {
      servers['one slot more'] = await startServer('bounded', availableParallelism() + 1);
    }
    const entries = stages.map((name) => ({ name, served: servers[name] ?? bounded }));
    for (const { port } of new Set(entries.map(({ served }) => served))) {
      await load.call('startFlood', { port, count: settings.callers });
      await sleep(WARM_UP_MS);
      await load.call('endFlood');
    }
    return await alternate(entries, settings, ({ name, served }) =>
      stage(name, () => measureStage({ load, guarded, settings }, name, served), summaryOf),
    );
  } finally {
    await Promise.all(Object.values(servers).map(({ remote }) => remote.end()));
  }
}

function summaryOf({ loginsPerSecond, guarded, readFile, lookup }: StageFigures): string {
  const logins = Object.entries(loginsPerSecond).map(([answer, rate]) => `${figure(rate)} logins/s ${answer}`);
  return [
    ...logins,
    `guarded p99 ${figure(guarded.p99)} ms`,
    `fs.readFile p50 ${figure(readFile.p50)} ms`,
    `dns.lookup p50 ${figure(lookup.p50)} ms`,
  ].join(', ');
}

/** Counts the failures. */
export function problemsOf<Measured extends Stage>(rounds: Rounds<Measured>): Problems {
  const problems: Record<string, number> = {};
  for (const [name, all] of Object.entries<readonly StageFigures[]>(rounds)) {
    for (const one of all) collect(problems, named(name, one.problems));
  }
  return problems;
}
