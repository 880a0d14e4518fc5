import { parseArgs } from 'node:util';
import { database } from './guards/database-row.js';
import { guard } from './guards/guard-row.js';
import { nodeOf } from './harness/processes.js';
import { describeRun, isQuiet, printTargets, type Row, tableOf, writeBlock } from './harness/report.js';
import { logins } from './logins/login-row.js';
import { starts } from './starts/start-row.js';

const ROWS: Readonly<Record<string, Row>> = { guard, database, logins, starts };

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      node: { type: 'string', default: '24' },
      blocks: { type: 'string', default: '12' },
      write: { type: 'boolean', default: false },
    },
  });
  const node = nodeOf(values.node);
  const machine = describeRun(node.version);
  console.log(machine);
  for (const name of positionals.length === 0 ? Object.keys(ROWS) : positionals) {
    const row = ROWS[name];
    if (row === undefined) throw new TypeError(`"${name}" is not one of ${Object.keys(ROWS).join(', ')}.`);
    const columns = await row.measure({ node: node.path, blocks: Number(values.blocks) });
    const table = tableOf(row, columns);
    console.log(`\n# ${name}\n\n${table}\n`);
    const areMet = printTargets(row, columns);
    const isGood = isQuiet(columns);
    if (isGood && values.write) writeBlock(name, `${table}\n\n${machine}`);
    if (!isGood || !areMet) process.exitCode = 1;
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
