import { machineFacts, machineLine, versionsOf } from '../harness/machine.js';
import { collect, named, showProblems } from '../harness/problems.js';
import { stage } from '../harness/progress.js';
import { ProcessDied } from '../harness/remote.js';
import { writeResults } from '../harness/results.js';
import { runMain } from '../harness/run-main.js';
import { readCommandLine } from '../harness/settings.js';
import { countsText } from './answers.js';
import { type BurstFigures, checkOpenFiles, measureBurst } from './measure-burst.js';
import { type GuardedClient, type Load, startGuardedClient, startLoad } from './processes.js';
import { burstTable, ratiosOf, ratiosTable, stagesTable } from './report.js';
import { measureRounds, problemsOf, type Rounds } from './rounds.js';
import { COMMAND_LINE, type Settings } from './settings.js';
import { type FloodStage, STAGES } from './stages.js';

async function run(settings: Settings): Promise<boolean> {
  const machine = machineFacts();
  const versions = versionsOf(['express', '@node-rs/argon2']);
  console.log(machineLine(machine, versions));

  const [load, guarded] = [startLoad(), startGuardedClient()];
  const problems: Record<string, number> = {};
  let rounds: Rounds<FloodStage> | undefined;
  let burst: BurstFigures | undefined;
  try {
    if (settings.rounds > 0) rounds = await measureRounds(STAGES, load, guarded, settings);
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
  return stage(`${settings.burst} logins at once`, () => measureBurst(load, guarded, settings), countsText);
}

runMain(async (args, env) => {
  const settings = readCommandLine(COMMAND_LINE, args, env);
  if (settings === undefined) return true;
  checkOpenFiles(settings.burst);
  return run(settings);
});
