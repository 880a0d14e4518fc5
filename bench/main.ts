import { nodeOf, RUNNING_NODE } from './harness/processes.js';
import { describeRun, pageOf, printTargets, writeBlock, writePicture } from './harness/report.js';
import type { Problems, Result, Row } from './harness/rows.js';
import { readSettings, type Settings } from './harness/settings.js';
import { ROWS } from './rows.js';

const HELP = `npm run bench -- [rows] [options]

Rows (default: all):
${Object.entries(ROWS)
  .map(([name, { measures }]) => `  ${name.padEnd(13)}${measures}`)
  .join('\n')}

Options:
  --node 24,22   the versions of Node.js that run the servers, from the npm package "node"
  --rounds 12    how often the sides take turns
  --write        writes the figures into docs/performance.md`;

/** Measures one row on each line of Node.js. Returns false when something failed or a target is missed. */
async function benchRow(name: string, row: Row, { nodes, write, rounds }: Settings): Promise<boolean> {
  const lines = nodes.length === 0 ? [RUNNING_NODE] : nodes.map(nodeOf);
  const problems: Problems = {};
  const results: Result[] = [];
  for (const node of row.onEachNode === true ? lines : lines.slice(0, 1)) {
    const startedAt = Date.now();
    const figures = await row.measure({ node, rounds, problems });
    results.push({ version: node.version, figures });
    console.log(`\n# ${name}, Node.js ${node.version}, ${Math.round((Date.now() - startedAt) / 1000)} s`);
  }
  console.log(`${pageOf(row, results)}\n`);
  for (const [problem, count] of Object.entries(problems)) console.error(`PROBLEM ${problem} (${count} times)`);
  const areMet = results.map((result) => printTargets(row, result));
  if (Object.keys(problems).length > 0) return false;
  if (write && row.picture !== undefined) writePicture(row.picture.file, await row.picture.draw(results));
  if (write && row.isOffPage !== true) {
    const versions = results.map(({ version }) => version).join(', ');
    const command = `\`npm run bench -- ${name}\`, ${rounds} rounds, Node.js ${versions}.`;
    writeBlock(name, `${pageOf(row, results)}\n\n${command}`);
  }
  return areMet.every(Boolean);
}

async function main(): Promise<void> {
  const settings = readSettings(process.argv.slice(2), Object.keys(ROWS));
  if (settings === undefined) {
    console.log(HELP);
    return;
  }
  const about = describeRun();
  console.log(about);
  for (const [name, row] of Object.entries(ROWS)) {
    if (!settings.rows.includes(name)) continue;
    if (row.isMissing?.() === true) {
      console.log(`SKIPPED ${name}, because its program is not installed: ${row.measures}`);
      continue;
    }
    const isGood = await benchRow(name, row, settings).catch((error: unknown) => {
      console.error(`PROBLEM ${name} was not measured: ${String(error)}`);
      return false;
    });
    if (!isGood) process.exitCode = 1;
  }
  if (settings.write) writeBlock('machine', `\`\`\`text\n${about}\n\`\`\``);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
