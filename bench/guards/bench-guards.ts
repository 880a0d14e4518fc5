import { machineFacts, machineLine, versionsOf } from '../harness/machine.js';
import { writeBlock, writePicture } from '../harness/page.js';
import { collect, named, showProblems } from '../harness/problems.js';
import { writeChart, writeResults } from '../harness/results.js';
import { readCommandLine } from '../harness/settings.js';
import { type CaseResult, measureCases, PLAIN, TOKENS_NAMES } from './cases.js';
import { drawChart } from './chart.js';
import type { ExpressMajor } from './guards.js';
import { ALGORITHMS, generateKeys } from './keys.js';
import { COMPARED_PACKAGES } from './packages.js';
import { startGuardLoad } from './processes.js';
import { caseTable, pageTables } from './report.js';
import { COMMAND_LINE, type Settings } from './settings.js';

async function measureAll(settings: Settings): Promise<CaseResult[]> {
  const majors: readonly ExpressMajor[] = settings['express-5'] ? [5] : [5, 4];
  const tokens = settings.repeated ? [PLAIN] : TOKENS_NAMES;
  const pace = { rounds: settings.rounds, sliceMs: settings['slice-ms'] };
  const keys = generateKeys();
  const load = startGuardLoad();
  const results: CaseResult[] = [];
  try {
    for (const major of majors) {
      for (const algorithm of ALGORITHMS) {
        const measured = await measureCases(load, { major, algorithm, keys }, tokens, pace);
        for (const result of measured) console.log(caseTable(result));
        results.push(...measured);
      }
    }
    return results;
  } finally {
    await load.end();
  }
}

/** Measures the guards, and returns false when something went wrong. */
export async function benchGuards(args: readonly string[], env: NodeJS.ProcessEnv): Promise<boolean> {
  const settings = readCommandLine(COMMAND_LINE, args, env);
  if (settings === undefined) return true;
  const machine = machineFacts();
  const versions = versionsOf(COMPARED_PACKAGES);
  const about = machineLine(machine, versions);
  console.log(about);

  const results = await measureAll(settings);
  const problems: Record<string, number> = {};
  for (const result of results) {
    collect(problems, named(`Express ${result.major}, ${result.algorithm}, ${result.tokens}`, result.problems));
  }
  const chart = await drawChart(results);
  const measuredAt = new Date().toISOString();
  const file = writeResults('guards', { measuredAt, machine, versions, settings, results, problems });
  const chartFile = writeChart('guards', chart);
  console.log(`\nWritten to ${file} and ${chartFile}.`);
  if (settings['write-docs']) {
    writePicture('performance.svg', chart);
    await writeBlock('guards', pageOf(results, about, settings));
  }
  return showProblems(problems);
}

function pageOf(results: readonly CaseResult[], about: string, settings: Settings): string {
  return [
    '![Requests per second of each guard relative to bare Express](performance.svg)\n',
    pageTables(results),
    `\n\`${COMMAND_LINE.command}\`, ${settings.rounds} rounds of ${settings['slice-ms']} ms for each guard and case:\n`,
    '```text',
    about,
    '```',
  ].join('\n');
}
