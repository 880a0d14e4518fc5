import { setTimeout as sleep } from 'node:timers/promises';
import { machineFacts, openFilesLimit, versionsOf } from '../harness/machine.js';
import { stage } from '../harness/progress.js';
import { ProcessDied } from '../harness/remote.js';
import { writeResults } from '../harness/results.js';
import { figure } from '../harness/table.js';
import { type BurstFigures, measureBurst } from './measure-burst.js';
import { type GuardedClient, type Load, startGuardedClient, startLoad, startServer } from './processes.js';
import { burstTable, machineLine, ratiosOf, ratiosTable, type Rounds, stagesTable } from './report.js';
import { HELP, readSettings, type Settings } from './settings.js';
import { measureStage, named, type Stage, type StageFigures, STAGES, type Stand } from './stages.js';

/** Beside its connections, what a process has open. */
const OTHER_FILES = 256;
const WARM_UP_MS = 1_000;

async function run(settings: Settings): Promise<boolean> {
  const machine = machineFacts();
  const versions = versionsOf(['express', '@node-rs/argon2']);
  console.log(machineLine(machine, versions));

  const [load, guarded] = [startLoad(), startGuardedClient()];
  const problems: Record<string, number> = {};
  let rounds: Rounds | undefined;
  let burst: BurstFigures | undefined;
  try {
    if (settings.rounds > 0) rounds = await measureRounds(load, guarded, settings);
    if (settings.burst > 0) burst = await showBurst(load, guarded, settings);
  } catch (error) {
    if (!(error instanceof ProcessDied)) console.error(error);
    problems[String(error)] = 1;
  } finally {
    await Promise.all([load.end(), guarded.end()]);
  }

  const ratios = rounds && ratiosOf(rounds);
  if (rounds !== undefined && ratios !== undefined) {
    for (const name of STAGES) for (const one of rounds[name]) collect(problems, named(name, one.problems));
    console.log(`\n${settings.callers} callers log in, ${settings.rounds} rounds of ${settings.seconds} s each\n`);
    console.log(`${stagesTable(rounds)}\n\n${ratiosTable(ratios)}`);
  }
  if (burst !== undefined) {
    collect(problems, named('burst', burst.problems));
    console.log(`\n${burst.logins} logins offered at once\n\n${burstTable(burst)}`);
  }
  const measuredAt = new Date().toISOString();
  const file = writeResults('flood', { measuredAt, machine, versions, settings, rounds, ratios, burst, problems });
  console.log(`\nWritten to ${file}.`);
  return showProblems(problems);
}

/** The stages in turn, another one first in each round, so that none is always the one after the same other. */
async function measureRounds(load: Load, guarded: GuardedClient, settings: Settings): Promise<Rounds> {
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

function showBurst(load: Load, guarded: GuardedClient, settings: Settings): Promise<BurstFigures> {
  return stage(
    `${settings.burst} logins at once`,
    () => measureBurst(load, guarded, settings),
    ({ counts }) =>
      Object.entries(counts)
        .map(([answer, count]) => `${count} times ${answer}`)
        .join(', '),
  );
}

function collect(problems: Record<string, number>, more: Readonly<Record<string, number>>): void {
  for (const [problem, count] of Object.entries(more)) problems[problem] = (problems[problem] ?? 0) + count;
}

/** @returns whether there were none */
function showProblems(problems: Readonly<Record<string, number>>): boolean {
  const all = Object.entries(problems);
  if (all.length === 0) console.log('Every answer was one of those allowed, and every process lived.');
  for (const [problem, count] of all) console.error(`PROBLEM ${problem} (${count} times)`);
  return all.length === 0;
}

function checkOpenFiles({ burst }: Settings): void {
  const [needed, limit] = [burst + OTHER_FILES, openFilesLimit() ?? Infinity];
  if (limit >= needed) return;
  const hint = `Raise it (ulimit -n ${needed}), or offer fewer logins (--burst ${Math.max(0, limit - OTHER_FILES)}).`;
  throw new Error(`A process may open ${limit} files here, and ${burst} connections need ${needed}. ${hint}`);
}

async function main(args: readonly string[]): Promise<boolean> {
  if (args.includes('--help')) {
    console.log(HELP);
    return true;
  }
  const settings = readSettings(args, process.env);
  checkOpenFiles(settings);
  return run(settings);
}

main(process.argv.slice(2)).then(
  (isGood) => {
    process.exitCode = isGood ? 0 : 1;
  },
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  },
);
