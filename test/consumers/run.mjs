// Packs all built packages and runs the tests of each project beside this file with a tarball. Each project is copied to a
// temporary directory. It gets its locked dependencies and the tarball, as a host installs it. Needs the registry.
//   npm run test:consumers                  all projects
//   npm run test:consumers -- NAME...       these projects
// package.json of a project can have:
//   tarballs        the packages that it installs. Default: express-merchant-auth
//   guides          the pages whose code is written into the project, one folder for each page
//   typeTests       the files of test/types that are written into src/types, where they import the tarball
//   variants        the packages of one more run each, for example "express@4.18.3 @types/express@4.17.25"
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import '../helpers/typescript.mjs';

const { filesOf } = createRequire(import.meta.url)('../helpers/snippets.ts');
const here = import.meta.dirname;
const run = promisify(execFile);

/** The lines of a report that are printed although its tests passed: skipped tests. */
const WORTH_PRINTING = /# SKIP/;

const environment = {
  ...process.env,
  npm_config_loglevel: 'error',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_prefer_offline: 'true',
};

/** Runs npm in a directory and resolves to its output. If npm fails, rejects with its output. */
function npm(cwd, ...args) {
  // Windows can start npm only through Node.js. `npm run` sets this variable to the file of npm.
  const { npm_execpath } = process.env;
  const [file, ...first] = npm_execpath === undefined ? ['npm'] : [process.execPath, npm_execpath];
  return run(file, [...first, ...args], { cwd, env: environment, maxBuffer: 1e8 });
}

/** Packs all packages. Returns a function that finds the tarball of a package. */
async function pack(destination) {
  for (const folder of ['.', 'client', 'audit']) {
    await npm(path.join(here, '../..', folder), 'pack', '--ignore-scripts', '--pack-destination', destination);
  }
  const files = await readdir(destination);
  return (name) =>
    path.join(
      destination,
      files.find((file) => file.replace(/-\d.*/, '') === name),
    );
}

/** Writes the code of the guides that the project's package.json names, one folder for each page under `docs`. */
async function writeGuides(directory, guides) {
  for (const page of guides) {
    for (const { file, text } of filesOf(page)) {
      const target = path.join(directory, page.replace(/\.md$/, ''), file);
      await mkdir(path.dirname(target), { recursive: true });
      await writeFile(target, text);
    }
  }
}

/** Writes files of test/types. They import the tarball in place of the sources. */
async function writeTypeTests(directory, files) {
  for (const file of files) {
    const text = await readFile(path.join(here, '../types', file), 'utf8');
    const target = path.join(directory, 'src/types', file);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, text.replace(/'\.\.\/\.\.\/src((?:\/\w+)?)\/index\.js'/g, "'express-merchant-auth$1'"));
  }
}

/**
 * Returns the reason why a project does not run on this version of Node.js, for a failed installation with
 * `engine-strict`. Only the packages that the project names count. Others state a range and often run without it.
 */
function engineOf({ stderr = '' }, names) {
  const [, name, version, range] = /notsup Not compatible.*: (\S+)@(\S+)\n.*"node":"([^"]+)"/.exec(stderr) ?? [];
  return names.includes(name) ? `${name}@${version} needs Node.js ${range}` : undefined;
}

/** Runs the steps of one line of the report and prints the line. `names` are the packages that the project names. */
async function report(title, names, install, test) {
  const startedAt = Date.now();
  const print = (result) => {
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
    console.log(`${title.padEnd(78)} ${seconds.padStart(6)} s  ${result}`);
  };
  try {
    const failure = await install('--engine-strict').then(
      () => undefined,
      (error) => error,
    );
    const reason = failure && engineOf(failure, names);
    if (reason !== undefined) {
      print(`skipped: ${reason}`);
      return;
    }
    if (failure !== undefined) await install();
    const { stdout } = await test();
    print('passed');
    for (const line of stdout.split('\n').filter((each) => WORTH_PRINTING.test(each))) console.log(`  ${line.trim()}`);
  } catch (error) {
    process.exitCode = 1;
    print('FAILED');
    console.error(`${error.message}\n${error.stdout ?? ''}${error.stderr ?? ''}`);
  }
}

/** Throws when the lock file does not belong to package.json. `npm install` would then choose versions silently. */
function checkLock(name, settings, lock) {
  for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies']) {
    const message = `The ${kind} of ${name} changed. Write its lock file again.`;
    assert.deepEqual(lock.packages[''][kind], settings[kind], message);
  }
}

async function tryTarballs(name, tarballOf, directory) {
  await cp(path.join(here, name), directory, {
    recursive: true,
    filter: (source) => !['node_modules', 'build'].includes(path.basename(source)),
  });
  const readJson = async (file) => JSON.parse(await readFile(path.join(directory, file), 'utf8'));
  const [settings, lock] = await Promise.all([readJson('package.json'), readJson('package-lock.json')]);
  checkLock(name, settings, lock);
  const { tarballs = ['express-merchant-auth'], guides = [], typeTests = [], variants = [] } = settings;
  const { dependencies, devDependencies } = settings;
  const packed = tarballs.map(tarballOf);
  await writeGuides(directory, guides);
  await writeTypeTests(directory, typeTests);
  const install = (...rest) => npm(directory, 'install', '--no-save', ...packed, ...rest);
  const test = () => npm(directory, 'test');
  await report(name, Object.keys({ ...dependencies, ...devDependencies }), install, test);
  for (const variant of variants) {
    const packages = variant.split(' ');
    const names = packages.map((each) => each.replace(/(?<=.)@.*/, ''));
    await report(`${name} with ${variant}`, names, (...options) => install(...packages, ...options), test);
  }
}

async function namesOf(chosen) {
  const entries = await readdir(here, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory() && entry.name !== 'shared').map(({ name }) => name);
  const unknown = chosen.filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new Error(`No consumer is called ${unknown.join(' or ')}. There are: ${names.join(', ')}`);
  return chosen.length > 0 ? chosen : names;
}

const names = await namesOf(process.argv.slice(2));
const temporary = await mkdtemp(path.join(tmpdir(), 'consumers-'));
try {
  const tarballOf = await pack(temporary);
  await cp(path.join(here, 'shared'), path.join(temporary, 'shared'), { recursive: true });
  for (const name of names) await tryTarballs(name, tarballOf, path.join(temporary, name));
} finally {
  await rm(temporary, { recursive: true, force: true });
}
