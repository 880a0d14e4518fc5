import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { readPage } from '../helpers/snippets.js';

const TESTS = path.resolve(__dirname, '..');

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
  readonly requirements: readonly Requirement[];
}

const chaptersOf = (name: string) =>
  (JSON.parse(readPage(`test/docs/${name}.json`)) as { readonly chapters: readonly Chapter[] }).chapters;
const rowsOf = (name: string) => chaptersOf(name).flatMap(({ requirements }) => requirements);
/** Returns the numbers of all rows. Requirements with the same answer share a row. */
const numbersOf = (name: string) => rowsOf(name).flatMap(({ number }) => number.split(', '));

/** The chapters of ASVS 5.0.0 that are about this package or its host. */
const CHAPTERS = [2, 4, 6, 7, 8, 9, 11, 13, 14, 15, 16];

/** Chapters 8 and 10 of PCI DSS 4.0.1: how many requirements each section has, and how many parts these have. */
const SECTIONS = {
  ...{ '8.1': 2, '8.2': 8, '8.3': 11, '8.3.10': 1, '8.4': 3, '8.5': 1, '8.6': 3 },
  ...{ '10.1': 2, '10.2': 2, '10.2.1': 7, '10.3': 4, '10.4': 3, '10.4.1': 1, '10.4.2': 1 },
  ...{ '10.5': 1, '10.6': 3, '10.7': 3 },
};

describe('the data of docs/asvs.md and docs/pci-dss.md', () => {
  for (const name of ['asvs', 'pci-dss']) {
    it(`lists the numbers of ${name}.json, each once and in order`, () => {
      const numbers = numbersOf(name);
      expect(numbers).to.deep.equal([...new Set(numbers)].sort((a, b) => a.localeCompare(b, 'en', { numeric: true })));
    });

    it(`says of each row of ${name}.json the requirement, and how it is met`, () => {
      for (const { number, requirement, how, reason } of rowsOf(name)) {
        expect(requirement, number).to.match(/^[A-Z].*[^.|]$/);
        expect(['met', 'sample', "host's duty", 'not applicable'], number).to.include(how);
        if (how !== 'met' || reason !== undefined) expect(reason, number).to.match(/^[A-Z`[].*[^.|]$/);
      }
    });
  }

  it('has the chapters of ASVS 5.0.0, and the level of each requirement', () => {
    const chapters = chaptersOf('asvs');
    expect(chapters.map(({ number }) => number)).to.deep.equal(CHAPTERS);
    for (const { number: chapter, requirements } of chapters) {
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
    expect(numbersOf('pci-dss').filter((number) => /^(?:8|10)\./.test(number))).to.have.members(expected);
  });
});

describe('docs/asvs.md and docs/pci-dss.md', () => {
  /** The only test with this tag is in this file. */
  const FILE = 'tokens/tokens.test.ts';
  const TAG = '(ASVS 9.1.1)';
  let copy: string;

  before('copy the tests', () => {
    copy = fs.mkdtempSync(path.join(os.tmpdir(), 'standards-'));
    const isWanted = (source: string) => !/[\\/](?:consumers|api-tools|\.snippets)$/.test(source);
    fs.cpSync(TESTS, copy, { recursive: true, filter: isWanted });
  });

  after('remove the copy', () => fs.rmSync(copy, { recursive: true }));

  function check(tests: string) {
    const args = [path.join(__dirname, 'standards.mjs'), '--check', '--tests', tests];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    return { status, stderr };
  }

  it('are generated from the data and the titles of the tests', () => {
    expect(check(TESTS)).to.deep.equal({ status: 0, stderr: '' });
  });

  const missing = `asvs.json says that 9.1.1 has a test. No test has the tag ${TAG}.`;
  for (const [change, from, to, problem] of [
    ['the last tag of a requirement is missing', ` ${TAG}`, '', missing],
    ['the last test of a requirement is skipped', /\bit\((?=.+ \(ASVS 9\.1\.1\))/, 'it.skip(', missing],
    ['a tag names an unknown requirement', TAG, '(ASVS 9.1.1, 15.3.33)', 'has the tag (ASVS 15.3.33)'],
    ["a tag names a requirement that is the host's duty", TAG, '(ASVS 9.1.1, 15.3.4)', 'has the tag (ASVS 15.3.4)'],
    ['a second tag names an unknown requirement', TAG, `${TAG} (PCI 8.3.12)`, 'has the tag (PCI 8.3.12)'],
  ] as const) {
    it(`cannot be generated when ${change}`, () => {
      fs.writeFileSync(path.join(copy, FILE), readPage(`test/${FILE}`).replace(from, to));
      const { status, stderr } = check(copy);
      expect(status).to.equal(1);
      expect(stderr).to.include(problem);
    });
  }
});
