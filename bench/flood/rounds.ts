import { setTimeout as sleep } from 'node:timers/promises';
import { collect, named, type Problems } from '../harness/problems.js';
import { stage } from '../harness/progress.js';
import { figure } from '../harness/table.js';
import { type GuardedClient, type Load, startServer } from './processes.js';
import type { Settings } from './settings.js';
import { measureStage, type Stage, type StageFigures, STAGES, type Stand } from './stages.js';

export type Rounds = Readonly<Record<Stage, readonly StageFigures[]>>;

const WARM_UP_MS = 1_000;

/** The stages in turn, another one first in each round, so that none is always the one after the same other. */
export async function measureRounds(load: Load, guarded: GuardedClient, settings: Settings): Promise<Rounds> {
  const [bounded, unbounded] = await Promise.all([startServer('bounded'), startServer('unbounded')]);
  const stand: Stand = { servers: { idle: bounded, bounded, unbounded }, load, guarded, settings };
  try {
    for (const { port } of [bounded, unbounded]) {
      await load.call('startFlood', { port, count: settings.callers });
      await sleep(WARM_UP_MS);
      await load.call('endFlood');
    }
    const rounds: Record<Stage, StageFigures[]> = { idle: [], bounded: [], unbounded: [] };
    for (let round = 0; round < settings.rounds; round += 1) {
      const first = round % STAGES.length;
      for (const name of [...STAGES.slice(first), ...STAGES.slice(0, first)]) {
        const label = `round ${round + 1} of ${settings.rounds}, ${name}`;
        rounds[name].push(await stage(label, () => measureStage(stand, name), summaryOf));
      }
    }
    return rounds;
  } finally {
    await Promise.all([bounded.remote.end(), unbounded.remote.end()]);
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

/** What went wrong, and how often. */
export function problemsOf(rounds: Rounds): Problems {
  const problems: Record<string, number> = {};
  for (const name of STAGES) for (const one of rounds[name]) collect(problems, named(name, one.problems));
  return problems;
}
