// Runs scripts of package.json. A comma separates groups. The scripts of a group run at the same time, and a failure ends
// the run after its group. The output of a script is printed when it has ended.
// Usage: node test/run.mjs build , test:core types
import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import console from 'node:console';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';

const groups = process.argv
  .slice(2)
  .join(' ')
  .split(',')
  .map((names) => names.trim().split(' '));

// npm sets this variable to its own JavaScript file. Windows can start that file only through Node.js.
const { npm_execpath: npm } = process.env;
if (npm === undefined || groups.flat().includes('')) {
  console.error('Usage: npm test, or npm run check');
  process.exit(2);
}

// Node.js writes the coverage of the suites of the code there, and `npm run check` compares it with the limits.
const coverage = path.resolve('coverage/tmp');

/** Runs a script, and prints its output when it has ended. Resolves to true when it succeeds. */
async function run(script) {
  const isMeasured = script === 'test:core';
  if (isMeasured) rmSync(coverage, { recursive: true, force: true });
  const env = isMeasured ? { ...process.env, NODE_V8_COVERAGE: coverage } : process.env;
  console.log(`${script} ...`);
  const start = performance.now();
  const child = spawn(process.execPath, [npm, 'run', '--silent', script], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
  const [code] = await once(child, 'close');
  const seconds = Math.round((performance.now() - start) / 1000);
  process.stdout.write(Buffer.concat(output));
  console.log(`${script}: ${code === 0 ? 'passed' : 'FAILED'} (${seconds} s)`);
  return code === 0;
}

for (const group of groups) {
  const results = await Promise.all(group.map(run));
  if (results.includes(false)) process.exit(1);
}
