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
  const NUMBER = '9.1.1';
  const TAG = `(ASVS ${NUMBER})`;

  function check(tests: string) {
    const args = [path.join(__dirname, 'asvs.mjs'), '--check', '--tests', tests];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    return { status, stderr };
  }

  it('is generated from the data and the titles of the tests', () => {
    expect(check(TESTS)).to.deep.equal({ status: 0, stderr: '' });
  });

  const missing = `asvs.json says that ${NUMBER} is met. No test has the tag ${TAG}.`;
  for (const [change, from, to, problem] of [
    ['the last tag of a requirement is missing', ` ${TAG}`, '', missing],
    ['the last test of a requirement is skipped', /\bit\((?=.+ \(ASVS 9\.1\.1\))/, 'it.skip(', missing],
    ['a tag names an unknown requirement', TAG, `(ASVS ${NUMBER}, 15.3.33)`, 'has the tag (ASVS 15.3.33)'],
    ["a tag names a requirement that is the host's duty", TAG, `(ASVS ${NUMBER}, 15.3.4)`, 'has the tag (ASVS 15.3.4)'],
  ] as const) {
    it(`cannot be generated when ${change}`, () => {
      const copy = fs.mkdtempSync(path.join(os.tmpdir(), 'asvs-'));
      try {
        for (const file of testFiles) {
          const text = fs.readFileSync(path.join(TESTS, file), 'utf8');
          fs.mkdirSync(path.dirname(path.join(copy, file)), { recursive: true });
          fs.writeFileSync(path.join(copy, file), text.includes(TAG) ? text.replace(from, to) : text);
        }
        const { status, stderr } = check(copy);
        expect(status).to.equal(1);
        expect(stderr).to.include(problem);
      } finally {
        fs.rmSync(copy, { recursive: true });
      }
    });
  }
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
