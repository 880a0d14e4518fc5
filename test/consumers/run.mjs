// Packs the package and runs the tests of each project beside this file with the tarball. Each project is copied to a
// temporary directory. It gets its locked dependencies and then the tarball, as a host installs it. Needs the registry.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import '../helpers/typescript.mjs';

const { blocksOf } = createRequire(import.meta.url)('../helpers/snippets.ts');
const here = import.meta.dirname;
const run = promisify(execFile);

/** The lines of a consumer's report that are printed although its tests passed: skipped tests and the lines changed. */
const WORTH_PRINTING = /# SKIP|changed lines: /;

/** Runs npm in a directory and resolves to its output. If npm fails, rejects with its output. */
function npm(cwd, ...args) {
  // Windows can start npm only through Node.js. `npm run` sets this variable to the file of npm.
  const { npm_execpath } = process.env;
  const [file, ...first] = npm_execpath === undefined ? ['npm'] : [process.execPath, npm_execpath];
  return run(file, [...first, ...args], { cwd, env: { ...process.env, npm_config_loglevel: 'error' }, maxBuffer: 1e8 });
}

async function pack(destination) {
  await npm(path.join(here, '../..'), 'pack', '--pack-destination', destination);
  const [tarball] = (await readdir(destination)).filter((file) => file.endsWith('.tgz'));
  return path.join(destination, tarball);
}

/** Writes the code of the guides that the project's package.json names, one folder for each page under `docs`. */
async function writeGuides(directory) {
  const { guides = [] } = JSON.parse(await readFile(path.join(directory, 'package.json'), 'utf8'));
  for (const page of guides) {
    for (const { file, text } of blocksOf(page).filter((block) => block.file !== '')) {
      const target = path.join(directory, page.replace(/\.md$/, ''), file);
      await mkdir(path.dirname(target), { recursive: true });
      await writeFile(target, text);
    }
  }
}

async function tryTarball(project, tarball, directory) {
  await cp(path.join(here, project), directory, {
    recursive: true,
    filter: (source) => !['node_modules', 'build'].includes(path.basename(source)),
  });
  await writeGuides(directory);
  await npm(directory, 'ci');
  await npm(directory, 'install', '--no-save', tarball);
  const { stdout } = await npm(directory, 'test');
  return stdout.split('\n').filter((line) => WORTH_PRINTING.test(line));
}

const temporary = await mkdtemp(path.join(tmpdir(), 'consumers-'));
try {
  console.log('packing');
  const tarball = await pack(temporary);
  const entries = await readdir(here, { withFileTypes: true });
  for (const { name } of entries.filter((entry) => entry.isDirectory())) {
    console.log(`${name}: installing and testing`);
    const startedAt = Date.now();
    try {
      const lines = await tryTarball(name, tarball, path.join(temporary, name));
      for (const line of lines) console.log(`${name}: ${line.trim()}`);
      console.log(`${name}: passed in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
    } catch (error) {
      process.exitCode = 1;
      console.error(`${name}: FAILED: ${error.message}\n${error.stdout}${error.stderr}`);
    }
  }
} finally {
  await rm(temporary, { recursive: true, force: true });
}
