import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect } from 'chai';
import { readPage } from '../helpers/snippets.js';
import { sectionOf } from './changelog.mjs';

const SCRIPT = path.join(__dirname, 'release-notes.mjs');

describe('CHANGELOG.md', () => {
  it('is about both packages, which have the same version', () => {
    const versionIn = (file: string) => (JSON.parse(readPage(file)) as { version: string }).version;
    for (const folder of ['client', 'audit']) {
      expect(versionIn(`${folder}/package.json`)).to.equal(versionIn('package.json'));
    }
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
    const otherTag = `The tag is v9.9.9, but package.json has the version ${version}.\n`;
    expect(run('v9.9.9')).to.include({ status: 1, stdout: '', stderr: otherTag });
  });
});
