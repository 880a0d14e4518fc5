import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import type { Runnable, Suite, Test } from 'mocha';
import { readPage } from '../helpers/snippets.js';

const ROOT = path.resolve(__dirname, '../..');
const TESTS = path.join(ROOT, 'test');

/** The chapters of ASVS 5.0.0 that are about this package or its host. */
const CHAPTERS = [2, 4, 6, 7, 8, 9, 11, 13, 14, 15, 16];

interface Requirement {
  readonly number: string;
  readonly level: number;
  readonly requirement: string;
  readonly how: string;
  readonly reason?: string;
}

const { chapters } = JSON.parse(readPage('test/docs/asvs.json')) as {
  chapters: { readonly number: number; readonly title: string; readonly requirements: Requirement[] }[];
};
const requirements = chapters.flatMap((chapter) => chapter.requirements);
const met = requirements.filter(({ how }) => how === 'met').map(({ number }) => number);

const testFiles = fs
  .readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts') && !/^(?:consumers|api-tools)\b/.test(file));

function numbersIn(title: string): string[] {
  return /\(ASVS ([^()]+)\)$/.exec(title)?.[1]?.split(', ') ?? [];
}

/** Returns true when mocha was given every file. It loads all files before the first test runs. */
function isEveryFileLoaded(): boolean {
  return testFiles.every((file) => require.cache[path.join(TESTS, file)] !== undefined);
}

function testsOf(suite: Suite | undefined): Test[] {
  return suite === undefined ? [] : [...suite.tests, ...suite.suites.flatMap(testsOf)];
}

/** Returns every test that mocha has loaded. */
function allTests(runnable: Runnable | undefined): Test[] {
  let suite = runnable?.parent;
  while (suite?.parent !== undefined) suite = suite.parent;
  return testsOf(suite);
}

describe('test/docs/asvs.json', () => {
  it('lists requirements of ASVS 5.0.0 by their numbers, each once and in order', () => {
    const numbers = requirements.map(({ number }) => number);
    expect(numbers).to.deep.equal([...new Set(numbers)].sort((a, b) => a.localeCompare(b, 'en', { numeric: true })));
    expect(chapters.map(({ number }) => number)).to.deep.equal(CHAPTERS);
    for (const { number: chapter, title, requirements: rows } of chapters) {
      expect(title).not.to.equal('');
      for (const { number } of rows) expect(number).to.match(new RegExp(`^${chapter}(\\.[1-9]\\d?){2}$`));
    }
  });

  it('says of each its level, the requirement, and how it is met', () => {
    for (const { number, level, requirement, how, reason } of requirements) {
      expect([1, 2, 3], number).to.include(level);
      expect(requirement, number).to.match(/^[A-Z].*[^.|]$/);
      expect(['met', "host's duty", 'not applicable'], number).to.include(how);
      if (how === 'met') expect(reason, number).to.equal(undefined);
      else expect(reason, number).to.match(/^[A-Z`[].*[^.|]$/);
    }
  });
});

describe('docs/asvs.md', () => {
  /** One test proves this requirement. The copied tests below change its title. */
  const NUMBER = '15.3.3';
  const TAG = `(ASVS ${NUMBER})`;
  let copy: string;

  function check(tests: string) {
    const script = path.join(__dirname, 'asvs.mjs');
    const args = [script, '--check', '--tests', tests];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    return { status, stderr };
  }

  /** Returns the name of the only file that has the tag. */
  function taggedFile(): string {
    const files = testFiles.filter((file) => fs.readFileSync(path.join(TESTS, file), 'utf8').includes(TAG));
    expect(files).to.have.length(1);
    return files[0] ?? '';
  }

  /** Replaces the title and the tag of the test, and returns its file. */
  function edit(from: string | RegExp, to: string): string {
    const file = taggedFile();
    const before = fs.readFileSync(path.join(TESTS, file), 'utf8');
    const after = before.replace(from, to);
    expect(after).not.to.equal(before);
    fs.writeFileSync(path.join(copy, file), after);
    return file;
  }

  beforeEach('copy the tests', () => {
    copy = fs.mkdtempSync(path.join(os.tmpdir(), 'asvs-'));
    for (const file of testFiles) fs.cpSync(path.join(TESTS, file), path.join(copy, file));
  });

  afterEach('remove the copy', () => fs.rmSync(copy, { recursive: true }));

  it('is generated from the data and the titles of the tests', () => {
    expect(check(TESTS)).to.deep.equal({ status: 0, stderr: '' });
  });

  it('stays the same when a test gets a new title and keeps its tag', () => {
    edit(/\bit\((['"`]).+ \(ASVS 15\.3\.3\)\1/, `it('ignores the others ${TAG}'`);
    expect(check(copy)).to.deep.equal({ status: 0, stderr: '' });
  });

  it('cannot be generated when the last tag of a requirement is missing', () => {
    edit(` ${TAG}`, '');
    const stderr = `asvs.json says that ${NUMBER} is met. No test has the tag ${TAG}.\n`;
    expect(check(copy)).to.deep.equal({ status: 1, stderr });
  });

  it('cannot be generated when the last test of a requirement is skipped', () => {
    edit(/\bit\((?=.+ \(ASVS 15\.3\.3\))/, 'it.skip(');
    expect(check(copy).stderr).to.include(`says that ${NUMBER} is met`);
  });

  for (const [name, number] of [
    ['an unknown requirement', '15.3.33'],
    ["a requirement that is the host's duty", '15.3.4'],
  ] as const) {
    it(`cannot be generated when a tag names ${name}`, () => {
      const file = edit(TAG, `(ASVS ${NUMBER}, ${number})`);
      const stderr = `${file} has the tag (ASVS ${number}). asvs.json has no such "met" row.\n`;
      expect(check(copy)).to.deep.equal({ status: 1, stderr });
    });
  }

  it('differs when a file of tests has a new name', () => {
    fs.renameSync(path.join(copy, taggedFile()), path.join(copy, 'renamed.test.ts'));
    expect(check(copy).stderr).to.include('Run `npm run asvs`');
  });
});

// At the root, so that it runs after the tests of all files. It checks nothing when mocha ran only some of the tests.
after('the tests with a number of ASVS have run', function () {
  const tests = allTests(this.test);
  if (!isEveryFileLoaded() || tests.some((test) => !test.isPending() && test.state === undefined)) return;
  const tagged = tests.filter(({ title }) => numbersIn(title).length > 0);
  expect(tagged.filter((test) => test.isPending()).map((test) => test.fullTitle())).to.deep.equal([]);
  const proven = new Set(tagged.flatMap(({ title }) => numbersIn(title)));
  expect(met.filter((number) => !proven.has(number))).to.deep.equal([]);
  expect([...proven].filter((number) => !met.includes(number))).to.deep.equal([]);
});
