// Runs scripts of package.json one after the other, and stops at the first failure. Prints a line before and after each.
// Usage: node test/run.mjs lint types -- ARGUMENTS (the last script gets the arguments).
import { spawn } from 'node:child_process';
import console from 'node:console';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import process from 'node:process';

const given = process.argv.slice(2);
const end = given.includes('--') ? given.indexOf('--') : given.length;
const scripts = given.slice(0, end);

// npm sets this variable to its own JavaScript file. Windows can start that file only through Node.js.
const { npm_execpath: npm } = process.env;
if (npm === undefined || scripts.length === 0) {
  console.error('Usage: npm test [-- ARGUMENTS OF MOCHA]');
  process.exit(2);
}

for (const [index, script] of scripts.entries()) {
  const name = `${index + 1}/${scripts.length} ${script}`;
  const options = index === scripts.length - 1 ? given.slice(end) : [];
  console.log(`${name} ...`);
  const start = performance.now();
  const child = spawn(process.execPath, [npm, 'run', '--silent', script, ...options], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  const seconds = Math.round((performance.now() - start) / 1000);
  console.log(`${name}: ${code === 0 ? 'passed' : 'FAILED'} (${seconds} s)`);
  if (code !== 0) process.exit(code ?? 1);
}
