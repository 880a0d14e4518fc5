import { machineFacts, machineLine, openFilesLimit, versionsOf } from '../harness/machine.js';
import { collect, named, showProblems } from '../harness/problems.js';
import { stage } from '../harness/progress.js';
import { ProcessDied } from '../harness/remote.js';
import { writeResults } from '../harness/results.js';
import { runMain } from '../harness/run-main.js';
import { readCommandLine } from '../harness/settings.js';
import { type BurstFigures, measureBurst } from './measure-burst.js';
import { type GuardedClient, type Load, startGuardedClient, startLoad } from './processes.js';
import { burstTable, ratiosOf, ratiosTable, stagesTable } from './report.js';
import { measureRounds, problemsOf, type Rounds } from './rounds.js';
import { COMMAND_LINE, type Settings } from './settings.js';

/** Beside its connections, what a process has open. */
const OTHER_FILES = 256;

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
    collect(problems, problemsOf(rounds));
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
  const isGood = showProblems(problems);
  if (isGood) console.log('Every answer was one of those allowed, and every process lived.');
  return isGood;
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

function checkOpenFiles({ burst }: Settings): void {
  const [needed, limit] = [burst + OTHER_FILES, openFilesLimit() ?? Infinity];
  if (limit >= needed) return;
  const hint = `Raise it (ulimit -n ${needed}), or offer fewer logins (--burst ${Math.max(0, limit - OTHER_FILES)}).`;
  throw new Error(`A process may open ${limit} files here, and ${burst} connections need ${needed}. ${hint}`);
}

runMain(async (args, env) => {
  const settings = readCommandLine(COMMAND_LINE, args, env);
  if (settings === undefined) return true;
  checkOpenFiles(settings);
  return run(settings);
});
