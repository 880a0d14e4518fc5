import { machineFacts, machineLine, versionsOf } from '../harness/machine.js';
import { showProblems, type Problems } from '../harness/problems.js';
import { writeBlock } from '../harness/page.js';
import { writeResults } from '../harness/results.js';
import { runMain } from '../harness/run-main.js';
import { readCommandLine } from '../harness/settings.js';
import { markdownTable } from '../harness/table.js';
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
    const { figures, problems } = await measure(pace);
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
    sets: settings.sets,
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

  const rows = Object.entries(TARGETS).flatMap(([name, target]) => {
    const outcome = outcomes[name as RowName];
    return outcome === undefined ? [] : [{ cells: cellsOf(target, outcome), isMet: isMet(target, outcome) }];
  });
  for (const { cells } of rows) console.log(`${cells.met}: ${cells.what}: ${cells.is} (target ${cells.bound})`);
  const measuredAt = new Date().toISOString();
  const file = writeResults('quick', { measuredAt, machine, versions, pace, outcomes, problems });
  console.error(`Written to ${file}.`);
  if (settings['write-docs']) {
    const cells = rows.map(({ cells: { what, is, bound, met } }) => [what, is, bound, met]);
    const about = `\`${COMMAND_LINE.command}\`:\n\n\`\`\`text\n${machineLine(machine, versions)}\n\`\`\``;
    await writeBlock('targets', `${markdownTable(['', 'measured', 'target', ''], cells)}\n\n${about}`);
  }
  return showProblems(problems) && rows.every((row) => row.isMet);
});
