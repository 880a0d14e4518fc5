import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import type { Runnable, Suite, Test } from 'mocha';
import { readPage } from '../helpers/snippets.js';

const ROOT = path.resolve(__dirname, '../..');
const TESTS = path.join(ROOT, 'test');

interface Requirement {
  readonly number: string;
  /** One for all numbers of the row, or one for each. */
  readonly level?: number | string;
  readonly requirement: string;
  readonly how: string;
  readonly reason?: string;
}

interface Chapter {
  readonly number?: number;
  readonly title: string;
  readonly requirements: readonly Requirement[];
}

class Standard {
  readonly chapters: readonly Chapter[];
  readonly rows: readonly Requirement[];
  /** The numbers of all rows. Requirements with the same answer share a row. */
  readonly numbers: readonly string[];
  readonly #tag: RegExp;

  constructor(page: string, tag: string) {
    ({ chapters: this.chapters } = JSON.parse(readPage(`test/docs/${page}.json`)) as { chapters: Chapter[] });
    this.rows = this.chapters.flatMap(({ requirements }) => requirements);
    this.numbers = numbersOf(this.rows);
    this.#tag = new RegExp(` \\(${tag} ([^()]+)\\)(?: \\([A-Z]+ [^()]+\\))*$`);
  }

  numbersIn(title: string): string[] {
    return this.#tag.exec(title)?.[1]?.split(', ') ?? [];
  }
}

function numbersOf(rows: readonly Requirement[]): string[] {
  return rows.flatMap(({ number }) => number.split(', '));
}

const ASVS = new Standard('asvs', 'ASVS');
const PCI = new Standard('pci-dss', 'PCI');

/** The chapters of ASVS 5.0.0 that are about this package or its host. */
const CHAPTERS = [2, 4, 6, 7, 8, 9, 11, 13, 14, 15, 16];

/** Chapters 8 and 10 of PCI DSS 4.0.1: how many requirements each section has, and how many parts these have. */
const SECTIONS = {
  ...{ '8.1': 2, '8.2': 8, '8.3': 11, '8.3.10': 1, '8.4': 3, '8.5': 1, '8.6': 3 },
  ...{
    '10.1': 2,
    '10.2': 2,
    '10.2.1': 7,
    '10.3': 4,
    '10.4': 3,
    '10.4.1': 1,
    '10.4.2': 1,
    '10.5': 1,
    '10.6': 3,
    '10.7': 3,
  },
};

const testFiles = fs
  .readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts') && !/^(?:consumers|api-tools)\b/.test(file));

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

describe('the data of docs/asvs.md and docs/pci-dss.md', () => {
  for (const [page, { rows, numbers }] of Object.entries({ ASVS, PCI })) {
    it(`lists the numbers of ${page}, each once and in order`, () => {
      expect(numbers).to.deep.equal([...new Set(numbers)].sort((a, b) => a.localeCompare(b, 'en', { numeric: true })));
    });

    it(`says of each row of ${page} the requirement, and how it is met`, () => {
      for (const { number, requirement, how, reason } of rows) {
        expect(requirement, number).to.match(/^[A-Z].*[^.|]$/);
        expect(['met', 'sample', "host's duty", 'not applicable'], number).to.include(how);
        if (how !== 'met' || reason !== undefined) expect(reason, number).to.match(/^[A-Z`[].*[^.|]$/);
      }
    });
  }

  it('has the chapters of ASVS 5.0.0, and the level of each requirement', () => {
    expect(ASVS.chapters.map(({ number }) => number)).to.deep.equal(CHAPTERS);
    for (const { number: chapter, title, requirements } of ASVS.chapters) {
      expect(title).not.to.equal('');
      for (const { number: numbers, level } of requirements) {
        for (const number of numbers.split(', ')) expect(number).to.match(new RegExp(`^${chapter}(\\.[1-9]\\d?){2}$`));
        const levels = String(level).split(', ');
        expect([1, numbers.split(', ').length], numbers).to.include(levels.length);
        expect(['1', '2', '3'], numbers).to.include.members(levels);
      }
    }
  });

  it('has every requirement of chapters 8 and 10 of PCI DSS 4.0.1', () => {
    const expected = Object.entries(SECTIONS).flatMap(([section, count]) =>
      Array.from({ length: count }, (_, index) => `${section}.${index + 1}`),
    );
    expect(PCI.numbers.filter((number) => /^(?:8|10)\./.test(number))).to.have.members(expected);
  });
});

describe('docs/asvs.md and docs/pci-dss.md', () => {
  /** One test proves this requirement. The copied tests below change its title. */
  const NUMBER = '9.1.1';
  const TAG = `(ASVS ${NUMBER})`;

  function check(tests: string) {
    const args = [path.join(__dirname, 'standards.mjs'), '--check', '--tests', tests];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    return { status, stderr };
  }

  it('are generated from the data and the titles of the tests', () => {
    expect(check(TESTS)).to.deep.equal({ status: 0, stderr: '' });
  });

  const missing = `asvs.json says that ${NUMBER} has a test. No test has the tag ${TAG}.`;
  for (const [change, from, to, problem] of [
    ['the last tag of a requirement is missing', ` ${TAG}`, '', missing],
    ['the last test of a requirement is skipped', /\bit\((?=.+ \(ASVS 9\.1\.1\))/, 'it.skip(', missing],
    ['a tag names an unknown requirement', TAG, `(ASVS ${NUMBER}, 15.3.33)`, 'has the tag (ASVS 15.3.33)'],
    ["a tag names a requirement that is the host's duty", TAG, `(ASVS ${NUMBER}, 15.3.4)`, 'has the tag (ASVS 15.3.4)'],
    ['a second tag names an unknown requirement', TAG, `${TAG} (PCI 8.3.12)`, 'has the tag (PCI 8.3.12)'],
  ] as const) {
    it(`cannot be generated when ${change}`, () => {
      const copy = fs.mkdtempSync(path.join(os.tmpdir(), 'standards-'));
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
after('the tests with a number of a standard have run', function () {
  const tests = allTests(this.test);
  if (!isEveryFileLoaded() || tests.some((test) => !test.isPending() && test.state === undefined)) return;
  for (const standard of [ASVS, PCI]) {
    const tagged = tests.filter(({ title }) => standard.numbersIn(title).length > 0);
    expect(tagged.filter((test) => test.isPending()).map((test) => test.fullTitle())).to.deep.equal([]);
    const proven = new Set(tagged.flatMap(({ title }) => standard.numbersIn(title)));
    const tested = numbersOf(standard.rows.filter(({ how }) => how === 'met' || how === 'sample'));
    expect([...proven]).to.have.members(tested);
  }
});
