import { machineFacts, machineLine, versionsOf } from '../harness/machine.js';
import { showProblems, type Problems } from '../harness/problems.js';
import { stage } from '../harness/progress.js';
import { writeResults } from '../harness/results.js';
import { runMain } from '../harness/run-main.js';
import { readCommandLine } from '../harness/settings.js';
import { COMPARED_PACKAGES } from '../guards/packages.js';
import { MEASUREMENTS, type Pace } from './measure-rows.js';
import { COMMAND_LINE, GROUPS, type Group } from './settings.js';
import { cellsOf, isMet, type Outcome, type RowName, TARGETS } from './targets.js';

type Outcomes = Readonly<Partial<Record<RowName, Outcome>>>;

/** Measures a group; what cannot be measured is told in its rows. */
async function measureGroup(group: Group, pace: Pace): Promise<{ outcomes: Outcomes; problems: Problems }> {
  const { rows, measure } = MEASUREMENTS[group];
  const outcomesOf = (outcomeOf: (row: RowName) => Outcome) =>
    Object.fromEntries(rows.map((row) => [row, outcomeOf(row)]));
  try {
    const { figures, problems } = await stage(
      group,
      () => measure(pace),
      () => 'measured',
    );
    return { outcomes: outcomesOf((row) => ({ figures: figures[row] ?? {} })), problems };
  } catch (error) {
    const notMeasured = reasonOf(error);
    console.error(`${group}: ${notMeasured}`);
    return { outcomes: outcomesOf(() => ({ notMeasured })), problems: {} };
  }
}

/** An error that stands for several, as of a host with two addresses, has no message of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}

runMain(async (args, env) => {
  const settings = readCommandLine(COMMAND_LINE, args, env);
  if (settings === undefined) return true;
  const pace = {
    rounds: settings.rounds,
    sliceMs: settings['slice-ms'],
    loginRounds: settings['login-rounds'],
    floodRounds: settings['flood-rounds'],
  };
  const machine = machineFacts();
  const versions = versionsOf(COMPARED_PACKAGES);
  console.error(machineLine(machine, versions));

  const chosen = GROUPS.filter((group) => settings[group]);
  const results = [];
  for (const group of chosen.length === 0 ? GROUPS : chosen) results.push(await measureGroup(group, pace));
  const outcomes = Object.assign({}, ...results.map((result) => result.outcomes)) as Outcomes;
  const problems = Object.assign({}, ...results.map((result) => result.problems)) as Problems;

  let areAllMet = true;
  for (const [name, target] of Object.entries(TARGETS)) {
    const outcome = outcomes[name as RowName];
    if (outcome === undefined) continue;
    const [what, is, bound, met] = cellsOf(target, outcome);
    console.log(`${met}: ${what}: ${is} (target ${bound})`);
    areAllMet &&= isMet(target, outcome);
  }
  const measuredAt = new Date().toISOString();
  const file = writeResults('quick', { measuredAt, machine, versions, pace, outcomes, problems });
  console.error(`Written to ${file}.`);
  return showProblems(problems) && areAllMet;
});
