import { checkOpenFiles } from '../flood/measure-burst.js';
import { machineFacts, machineLine, versionsOf } from '../harness/machine.js';
import { collect, named, showProblems } from '../harness/problems.js';
import { stage } from '../harness/progress.js';
import { writeResults } from '../harness/results.js';
import { readCommandLine } from '../harness/settings.js';
import {
  measureBurstRows,
  measureGreedy,
  measureIdentical,
  measureRate,
  measureStrangers,
  measureWaiting,
} from './measure-rows.js';
import { type Measured, type Row, rowsTable } from './rows.js';
import { COMMAND_LINE, type Settings } from './settings.js';

interface Part {
  readonly label: string;
  /** The setting that leaves the rows out when it is 0. */
  readonly setting: keyof Settings;
  readonly measure: (settings: Settings) => Promise<Measured>;
}

const PARTS: readonly Part[] = [
  { label: 'rate of logins', setting: 'rounds', measure: measureRate },
  { label: 'files and names in a flood', setting: 'flood-rounds', measure: measureWaiting },
  { label: 'identical logins', setting: 'identical', measure: measureIdentical },
  {
    label: 'greedy merchant',
    setting: 'seconds',
    measure: (settings) => measureGreedy(settings, 'one merchant'),
  },
  { label: 'greedy source', setting: 'seconds', measure: (settings) => measureGreedy(settings, 'one source') },
  { label: 'strangers', setting: 'seconds', measure: measureStrangers },
  { label: 'burst', setting: 'burst', measure: measureBurstRows },
];

/** Measures the rows on logins. Returns false when a row could not be measured, not when a goal is not met. */
export async function benchLogins(args: readonly string[], env: NodeJS.ProcessEnv): Promise<boolean> {
  const settings = readCommandLine(COMMAND_LINE, args, env);
  if (settings === undefined) return true;
  checkOpenFiles(settings.burst);
  const machine = machineFacts();
  const versions = versionsOf(['express', '@node-rs/argon2']);
  console.log(machineLine(machine, versions));
  const end = () => {
    console.error(`The run has not ended within ${settings.deadline} s.`);
    process.exit(1);
  };
  setTimeout(end, settings.deadline * 1000).unref();

  const rows: Row[] = [];
  const problems: Record<string, number> = {};
  let isMeasured = true;
  for (const { label, measure } of PARTS.filter(({ setting }) => settings[setting] > 0)) {
    try {
      const measured = await stage(
        label,
        () => measure(settings),
        ({ summary }) => summary,
      );
      rows.push(...measured.rows);
      collect(problems, named(label, measured.problems));
    } catch (error) {
      isMeasured = false;
      collect(problems, { [`${label}: not measured: ${String(error)}`]: 1 });
    }
  }
  console.log(`\n${rowsTable(rows)}\n`);
  const measuredAt = new Date().toISOString();
  console.log(`Written to ${writeResults('logins', { measuredAt, machine, versions, settings, rows, problems })}.`);
  showProblems(problems);
  return isMeasured;
}
