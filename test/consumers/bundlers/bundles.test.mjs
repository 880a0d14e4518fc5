import assert from 'node:assert';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import commonjs from '@rollup/plugin-commonjs';
import json from '@rollup/plugin-json';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import { build } from 'esbuild';
import { createTokens } from 'express-merchant-auth';
import { rollup } from 'rollup';
import webpack from 'webpack';
import { AWA, casesOf, guardedCasesOf } from '../shared/cases.cjs';

const directory = path.join(import.meta.dirname, 'build');

/** Bundles one file, with the usual options. */
const BUNDLERS = {
  // Minified here, because the minifier of webpack takes eight times as long as webpack itself.
  'esbuild.cjs': (input, file) =>
    build({ entryPoints: [input], outfile: file, format: 'cjs', bundle: true, platform: 'node', minify: true }),
  // CommonJS code in a bundle of ES modules calls `require` for the modules of Node.js.
  'esbuild.mjs': (input, file) =>
    build({
      entryPoints: [input],
      outfile: file,
      format: 'esm',
      bundle: true,
      platform: 'node',
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    }),
  'webpack.cjs': (input, file) =>
    promisify(webpack)({
      mode: 'production',
      optimization: { minimize: false },
      target: 'node',
      entry: input,
      output: { path: path.dirname(file), filename: path.basename(file), library: { type: 'commonjs2' } },
    }),
  'rollup.cjs': (_input, file) => writeWithRollup({ file, format: 'cjs' }),
  'rollup.mjs': (_input, file) => writeWithRollup({ file, format: 'es' }),
};

/** Reads the modules once for both formats, because that takes seconds. */
const rolled = rollup({
  input: 'host.mjs',
  plugins: [nodeResolve({ preferBuiltins: true, exportConditions: ['node'] }), commonjs(), json()],
  onwarn: () => undefined,
});

async function writeWithRollup(output) {
  await (await rolled).write({ ...output, inlineDynamicImports: true });
}

/** Bundles a host, and resolves to its exports. */
async function bundle(host, bundler) {
  const file = path.join(directory, `${host}.${bundler}`);
  await BUNDLERS[bundler](path.join(import.meta.dirname, `${host}.mjs`), file);
  const exported = await import(pathToFileURL(file));
  // Node.js does not find the names in a bundle of webpack.
  return exported.createApp ? exported : exported.default;
}

const token = createTokens().issue(AWA);
for (const bundler of Object.keys(BUNDLERS)) {
  // Before the tests, because webpack leaves the event loop no time for their answers.
  const host = await bundle('host', bundler);
  for (const { name, run } of casesOf(() => host.createApp())) test(`in a host.${bundler}, ${name}`, run);
  // A host has the modules of the guard, too, so one bundler shows that they work alone.
  if (!bundler.startsWith('esbuild')) continue;
  const guardOnly = await bundle('guard-only', bundler);
  for (const { name, run } of guardedCasesOf(() => guardOnly.createApp(), token)) {
    test(`in a guard-only.${bundler}, ${name}`, run);
  }
}

test('an executable of Bun computes hashes where no package is installed', { skip: !isLinux() }, async () => {
  const run = promisify(execFile);
  const bun = path.join(import.meta.dirname, 'node_modules/@oven/bun-linux-x64/bin/bun');
  const elsewhere = await mkdtemp(path.join(tmpdir(), 'executable-'));
  const executable = path.join(elsewhere, 'hashes');
  await run(bun, ['build', '--compile', 'hashes.mjs', '--outfile', executable], { cwd: import.meta.dirname });
  const { stdout } = await run(executable, { cwd: elsewhere });
  await rm(elsewhere, { recursive: true });
  assert.equal(stdout, 'argon2id true\n2y true\n');
});

function isLinux() {
  return process.platform === 'linux' && process.arch === 'x64';
}
