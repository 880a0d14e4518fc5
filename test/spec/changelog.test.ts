import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect } from 'chai';
import { readPage } from '../helpers/snippets.js';
import { releaseNotes, sectionOf } from './changelog.mjs';

const SCRIPT = path.join(__dirname, 'release-notes.mjs');

const CHANGELOG = `# Changelog

## 0.2.0 - unreleased

- Not yet.

## 0.1.10 - 2027-02-01

## 0.1.1 - 2027-01-15

### Fixed

- A fix.

## 0.1.0 - 2026-12-01

- The first.
`;

describe('releaseNotes', () => {
  it('are the section of the version', () => {
    expect(releaseNotes('v0.1.1', '0.1.1', CHANGELOG)).to.equal('### Fixed\n\n- A fix.');
    expect(releaseNotes('v0.1.0', '0.1.0', CHANGELOG)).to.equal('- The first.');
  });

  for (const [tag, version, complaint] of [
    ['v0.1.0', '0.1.1', 'The tag is v0.1.0, but package.json has the version 0.1.1.'],
    ['0.1.1', '0.1.1', 'The tag is 0.1.1, but package.json has the version 0.1.1.'],
    ['v0.1.1-rc.1', '0.1.1', 'The tag is v0.1.1-rc.1, but package.json has the version 0.1.1.'],
    ['v0.2.0', '0.2.0', 'The section of 0.2.0 in CHANGELOG.md has no date.'],
    ['v0.1', '0.1', 'CHANGELOG.md has no section "## 0.1 - DATE".'],
    ['v0.1.10', '0.1.10', 'The section of 0.1.10 in CHANGELOG.md is empty.'],
  ] as const) {
    it(`refuse the tag ${tag} of ${version}`, () => {
      expect(() => releaseNotes(tag, version, CHANGELOG)).to.throw(complaint);
    });
  }
});

describe('CHANGELOG.md', () => {
  it('is about both packages, which have the same version', () => {
    const versionIn = (file: string) => (JSON.parse(readPage(file)) as { version: string }).version;
    expect(versionIn('client/package.json')).to.equal(versionIn('package.json'));
  });

  it('has a section about the version of package.json, and the script prints it only with a date', () => {
    const { version } = JSON.parse(readPage('package.json')) as { version: string };
    const section = sectionOf(readPage('CHANGELOG.md'), version);
    expect(section?.text).to.have.length.above(0);
    const run = (...args: string[]) => spawnSync(process.execPath, [SCRIPT, ...args], { encoding: 'utf8' });
    const { status, stdout, stderr } = run(`v${version}`);
    const printed = [0, `${section?.text ?? ''}\n`, ''];
    const refused = [1, '', `The section of ${version} in CHANGELOG.md has no date.\n`];
    expect([status, stdout, stderr]).to.deep.equal(section?.date === undefined ? refused : printed);
    expect(run()).to.include({ status: 1, stderr: 'Usage: node test/spec/release-notes.mjs TAG\n' });
    expect(run('v9.9.9').status).to.equal(1);
  });
});
