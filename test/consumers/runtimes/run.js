// Installs each runtime, and runs the tests with its test runner. A runtime that npm cannot install here is
// skipped.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';

// They are not in the lock file, because each needs a binary for one platform only.
const RUNTIMES = {
  // Bun's limit of 5 s for a test is too short on a busy machine.
  bun: { version: '1.4.5', test: ['test', '--timeout', '60000'] },
  // The page's code has no endings in its imports, and its types are for TypeScript's own check.
  deno: {
    version: '2.9.6',
    test: ['test', '--quiet', '-A', '--no-check', '--unstable-sloppy-imports'],
  },
};
const TESTS = [
  ['.', './test/contracts.test.js', './test/host.test.js'],
  ['docs/writing-a-store', './shop-store.test.ts'],
];

const { CI, TEST_DATABASE_URL, TEST_REDIS_URL } = process.env;

if (!TEST_REDIS_URL && !CI) console.log('# SKIP the counters in Redis: needs TEST_REDIS_URL');

for (const [name, { version, test }] of Object.entries(RUNTIMES)) {
  const folder = path.resolve('build', name);
  const install = ['install', '--no-save', '--prefix', folder, `${name}@${version}`];
  const installed = spawnSync('npm', install, { encoding: 'utf8' });
  if (installed.status !== 0) {
    console.log(`# SKIP ${name} ${version}: npm cannot install it. ${installed.stderr.split('\n')[0]}`);
    continue;
  }
  const start = (cwd, ...args) =>
    spawnSync(path.join(folder, 'node_modules/.bin', name), args, { cwd, encoding: 'utf8', timeout: 120_000 });
  for (const [cwd, ...tests] of TESTS) {
    if (cwd !== '.' && !TEST_DATABASE_URL && !CI) {
      console.log(`# SKIP ${tests[0]} on ${name}: needs TEST_DATABASE_URL`);
      continue;
    }
    const result = start(cwd, ...test, ...tests);
    console.log(`${name} ${version}: ${tests.join(' ')}\n${result.stdout}${result.stderr}`);
    if (result.status !== 0) process.exitCode = 1;
  }
}
