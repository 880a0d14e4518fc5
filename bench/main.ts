import { nodeOf } from './harness/processes.js';
import { describeRun, printTargets, textOf, writeBlock } from './harness/report.js';
import { isCurrent, type Problems, type Row, type Run } from './harness/rows.js';
import { readSettings } from './harness/settings.js';
import { disturbedControls } from './harness/sides.js';
import { ROWS } from './rows.js';

const HELP = `npm run bench -- [rows] [options]

Rows (default: all):
${Object.entries(ROWS)
  .map(([name, { measures }]) => `  ${name.padEnd(10)}${measures}`)
  .join('\n')}

Options:
  --node 24     the version of Node.js that runs the servers, from the npm package "node"
  --blocks 12   how often each side is measured, forwards and backwards

Without options, a quiet machine writes the tables into docs/performance.md.`;

/** Measures one row, and writes its table. `areMet` is false when something failed or a target is missed. */
async function benchRow(name: string, row: Row, run: Omit<Run, 'problems'>, isForPage: boolean) {
  const problems: Problems = {};
  const startedAt = Date.now();
  const figures = await row.measure({ ...run, problems });
  const text = textOf(row, figures);
  console.log(`\n# ${name}, ${Math.round((Date.now() - startedAt) / 1_000)} s\n\n${text}\n`);
  for (const [problem, count] of Object.entries(problems)) console.error(`PROBLEM ${problem} (${count} times)`);
  const areMet = !isCurrent(run.node) || printTargets(row.targets, figures);
  const disturbed = disturbedControls(figures);
  if (disturbed.length > 0) {
    console.error(
      `TOO BUSY The machine runs other programs, so this row and those after it are not written.\n${disturbed.join('\n')}`,
    );
  }
  const isGood = disturbed.length === 0 && Object.keys(problems).length === 0;
  if (isGood && isForPage && row.isOnPage === true) writeBlock(name, `${text}\n\n${describeRun(run.node)}`);
  return { areMet: isGood && areMet, isBusy: disturbed.length > 0 };
}

async function main(): Promise<void> {
  const settings = readSettings(process.argv.slice(2), Object.keys(ROWS));
  if (settings === undefined) {
    console.log(HELP);
    return;
  }
  const node = nodeOf(settings.node);
  console.log(describeRun(node));
  let { isForPage } = settings;
  for (const [name, row] of Object.entries(ROWS)) {
    if (!settings.rows.includes(name)) continue;
    const { areMet, isBusy } = await benchRow(name, row, { node, blocks: settings.blocks }, isForPage).catch(
      (error: unknown) => {
        console.error(`PROBLEM ${name} was not measured: ${String(error)}`);
        return { areMet: false, isBusy: false };
      },
    );
    if (isBusy) isForPage = false;
    if (!areMet) process.exitCode = 1;
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
