// Runs scripts of package.json. A comma separates groups. The scripts of a group run at the same time, a few at once, and a
// failure ends the run after its group. The output of a script is printed when it has ended.
// Usage: node test/run.mjs build , lint test:core test:pages , coverage -- ARGUMENTS (for the scripts `test:...`)
import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import console from 'node:console';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';

const given = process.argv.slice(2);
const end = given.includes('--') ? given.indexOf('--') : given.length;
const groups = given
  .slice(0, end)
  .join(' ')
  .split(',')
  .map((names) => names.trim().split(' '));

// npm sets this variable to its own JavaScript file. Windows can start that file only through Node.js.
const { npm_execpath: npm } = process.env;
if (npm === undefined || groups.flat().includes('')) {
  console.error('Usage: npm test [-- ARGUMENTS OF MOCHA]');
  process.exit(2);
}

// c8 reads what Node.js writes there in the suites of the code. The others would add its time and no line.
const coverage = path.resolve('coverage/tmp');
rmSync(coverage, { recursive: true, force: true });

/** Runs a script, and prints its output when it has ended. Resolves to true when it succeeds. */
async function run(script) {
  const isSuite = script.startsWith('test:');
  const args = [npm, 'run', '--silent', script, ...(isSuite ? given.slice(end) : [])];
  const env = script === 'test:core' ? { ...process.env, NODE_V8_COVERAGE: coverage } : process.env;
  console.log(`${script} ...`);
  const start = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
  const [code] = await once(child, 'close');
  const seconds = Math.round((performance.now() - start) / 1000);
  process.stdout.write(Buffer.concat(output));
  console.log(`${script}: ${code === 0 ? 'passed' : 'FAILED'} (${seconds} s)`);
  return code === 0;
}

/** Starts scripts in their order, one more than the machine has cores, because all at once they take longer. */
async function runAll(scripts) {
  const waiting = [...scripts];
  const results = [];
  const runNext = async () => {
    while (waiting.length > 0) results.push(await run(waiting.shift()));
  };
  await Promise.all(Array.from({ length: os.availableParallelism() + 1 }, runNext));
  return results;
}

for (const group of groups) {
  const results = await runAll(group);
  if (results.includes(false)) process.exit(1);
}
