import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import semver from 'semver';
import { lockedDependencies } from './production-tree.js';

const ROOT = path.resolve(__dirname, '../..');

interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly peerDependencies: Readonly<Record<'express' | 'express-merchant-auth', string>>;
}

const text = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const manifestOf = (folder: string) => JSON.parse(text(path.join(folder, 'package.json'))) as Manifest;

const { version, engines, peerDependencies } = manifestOf('.');

describe('the versions of Node.js', () => {
  it('are versions that every production dependency and Express accept', async () => {
    const dependencies = await lockedDependencies();
    const ranges = dependencies.map(({ name, engines: { node = '*' } = {} }) => ({ name, node }));
    for (const name of ['express4', 'express4-18', 'express']) {
      ranges.push({ name, node: manifestOf(`node_modules/${name}`).engines.node });
    }
    expect(ranges.filter(({ node }) => !semver.subset(engines.node, node))).to.deep.equal([]);
  });

  it('are the same for the other packages and on the pages', () => {
    for (const folder of ['client', 'audit', 'example-app'])
      expect(manifestOf(folder).engines.node).to.equal(engines.node);
    for (const page of ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'client/README.md', 'audit/README.md']) {
      expect(text(page), page).to.include(`Node.js \`${engines.node}\``);
    }
  });
});

describe('the versions of Express', () => {
  it('are a line of which the suites run the oldest version, and the line that they run', () => {
    const [four = '', five = ''] = peerDependencies.express.split(' || ');
    expect(manifestOf('node_modules/express4-18').version).to.equal(semver.minVersion(four)?.version);
    expect(semver.satisfies(manifestOf('node_modules/express').version, five)).to.equal(true);
  });

  it('are those of the audit, which works with this version of the package', () => {
    const audit = manifestOf('audit').peerDependencies;
    expect(audit.express).to.equal(peerDependencies.express);
    expect(semver.satisfies(version, audit['express-merchant-auth'])).to.equal(true);
  });

  it('are those on the pages', () => {
    for (const page of ['README.md', 'CHANGELOG.md', 'audit/README.md']) {
      expect(text(page), page).to.include(`Express \`${peerDependencies.express}\``);
    }
  });
});
