// npm run mutation [-- FOLDER...]: changes the sources of the core and the client in small ways, folder by folder.
// It reports each change that no test notices, and writes the counts into README.md beside this file. It is not part of
// the gate. Results are kept in coverage/mutation, so the next run repeats only what has changed.
import console from 'node:console';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { Stryker } from '@stryker-mutator/core';

const FOLDERS = 'ownership tokens guard login throttle passwords store sources body http errors events client'.split(
  ' ',
);

/** The suites in other folders that a folder needs. */
const MORE_SUITES = {
  ownership: ['test/guard/require-bearer.test.ts', 'test/guard/require-bearer-options.test.ts'],
  tokens: ['test/guard/guard.test.ts', 'test/guard/require-bearer.test.ts', 'test/store/check-account.test.ts'],
  guard: [
    'test/login/login.allowed-sources.test.ts',
    'test/ownership/merchant.test.ts',
    'audit/test/ask/audit-routes.test.ts',
  ],
  store: ['test/login/login.allowed-sources.test.ts', 'test/testing/user-store-contract/user-store-contract.test.ts'],
  body: [
    'test/guard/require-bearer.test.ts',
    'test/http/auth-error-handler.test.ts',
    'test/login/read-login-body.test.ts',
    'test/ownership/check-own-references.any-parser.test.ts',
    'test/ownership/check-own-references.parsers.test.ts',
  ],
  login: ['test/queue/admission.test.ts'],
  throttle: ['test/login/login.test.ts', 'test/login/login.forgive.test.ts'],
  passwords: ['test/login/find-account.test.ts'],
  http: ['test/login/login-router.test.ts', 'test/guard/require-bearer.test.ts'],
  errors: [
    'test/http/auth-error-handler.test.ts',
    'test/http/error-log.test.ts',
    'test/sources/require-allowed-source.test.ts',
  ],
  events: ['test/login/login.test.ts'],
};
/** Suites that need a compiler, a build or a server, or whose facts are those of another folder. */
const LEFT_OUT = /redis|parsers|any-parser|bundle|platforms/;

/** Returns the folders of the sources and of the suites. */
function placesOf(folder) {
  return folder === 'client' ? ['client/src', 'client/test'] : [`src/${folder}`, `test/${folder}`];
}

/** Loads the suites of a folder. A mutant runs only the tests that reach it. */
function suitesOf(folder) {
  const [, suites] = placesOf(folder);
  const files = readdirSync(suites, { recursive: true }).filter((file) => file.endsWith('.test.ts'));
  const own = files.filter((file) => !LEFT_OUT.test(file)).map((file) => `${suites}/${file}`);
  return [...own, ...(MORE_SUITES[folder] ?? [])];
}

async function mutate(folder) {
  const [sources] = placesOf(folder);
  const stryker = new Stryker({
    configFile: 'test/mutation/stryker.config.mjs',
    mutate: [`${sources}/**/*.ts`],
    mocha: { specs: suitesOf(folder) },
    incrementalFile: `coverage/mutation/${folder}.json`,
    htmlReporter: { fileName: `coverage/mutation/${folder}.html` },
  });
  const results = await stryker.runMutationTest();
  const counted = results.filter(({ status }) => status !== 'Ignored' && !status.endsWith('Error'));
  const killed = counted.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
  return { mutants: counted.length, killed };
}

const page = path.join(import.meta.dirname, 'README.md');

/** Replaces the row of a folder in the table. */
function writeRow(folder, { mutants, killed }) {
  const percent = ((100 * killed) / mutants).toFixed(1);
  const cells = [folder, String(mutants), String(killed), `${percent} %`];
  const row = new RegExp(`^\\| ${folder} .*$`, 'm');
  const widths = [9, 7, 6, 7];
  const text = `| ${cells.map((cell, index) => cell.padEnd(widths[index])).join(' | ')} |`;
  writeFileSync(page, readFileSync(page, 'utf8').replace(row, text));
  console.log(`${folder}: ${killed} of ${mutants} mutants killed (${percent} %)`);
}

const chosen = process.argv.slice(2);
const unknown = chosen.filter((folder) => !FOLDERS.includes(folder));
if (unknown.length > 0) {
  console.error(`Unknown folder: ${unknown.join(', ')}. There are: ${FOLDERS.join(', ')}`);
  process.exit(2);
}
for (const folder of chosen.length > 0 ? chosen : FOLDERS) writeRow(folder, await mutate(folder));
