import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import semver from 'semver';
import { readPage, rowsOf } from '../helpers/snippets.js';

const ROOT = path.resolve(__dirname, '../..');
const PAGE = 'SECURITY.md';

const manifest = JSON.parse(readPage('package.json')) as {
  readonly engines: { readonly node: string };
  readonly peerDependencies: { readonly express: string };
  readonly devDependencies: Readonly<Record<string, string>>;
};

describe('the cryptography that SECURITY.md names', () => {
  const CRYPTOGRAPHY = ['@node-rs/argon2', '@node-rs/bcrypt', 'jsonwebtoken', 'node:crypto'];
  const OTHERS = [
    'ajv',
    'content-type',
    'express',
    'ipaddr.js',
    'lru-cache',
    'passport',
    'passport-jwt',
    'passport-local',
    'rate-limiter-flexible',
  ];

  it('is all that the sources use', () => {
    const names = fs.readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
    const files = names.filter((name) => /\.m?ts$/.test(name)).map((name) => path.join(ROOT, 'src', name));
    const sources = files.map((file) => fs.readFileSync(file, 'utf8'));
    const imported = sources.flatMap((text) =>
      [...text.matchAll(/\b(?:from |import\()'([^.'][^']*)'/g)].map(([, name]) => name),
    );
    const modules = new Set(imported.filter((name) => name === 'node:crypto' || name?.startsWith('node:') === false));
    expect([...modules]).to.have.members([...CRYPTOGRAPHY, ...OTHERS]);
    for (const text of sources) expect(text).not.to.match(/\b(md5|sha1)\b|\beval\(|\bnew Function\(/);
    const guessable = files.filter((_, index) => sources[index]?.includes('Math.random'));
    // The seconds of Retry-After need not be secret.
    expect(guessable).to.deep.equal([path.join(ROOT, 'src/errors/catalogue.ts')]);
    const [, section = ''] = readPage(PAGE).split('## Cryptography\n');
    for (const name of CRYPTOGRAPHY) expect(section.toLowerCase()).to.include(name);
  });
});

describe('the page of supported versions', () => {
  const lines = rowsOf(PAGE, 'Node.js').map(([line = '']) => line);

  it('begins with the oldest Node.js of package.json, and gives each line an end of life', () => {
    const { node } = manifest.engines;
    expect(readPage(PAGE)).to.include(`Node.js \`${node}\``);
    expect(node.split(' || ')[0]).to.equal(`^${lines[0] ?? ''}`);
    for (const line of lines) expect(semver.intersects(line, node), line).to.equal(true);
    const ends = rowsOf(PAGE, 'Node.js').map(([, end = '']) => /\b20\d\d-\d\d-\d\d\b/.exec(end)?.[0]);
    expect(ends).not.to.include(undefined);
    expect(ends).to.deep.equal([...new Set(ends)].sort());
  });

  // Fails a month before a line ends, so that a maintainer announces the end in time.
  it('promises fixes only for lines that do not end within a month, and says on README.md which get none', () => {
    const month = 31 * 24 * 60 * 60 * 1000;
    for (const [line = '', end = ''] of rowsOf(PAGE, 'Node.js')) {
      const [ended] = /(?<=^none since )\S+(?=\. It runs and is tested there$)/.exec(end) ?? [];
      if (ended === undefined) expect(Date.parse(end) - month, line).to.be.greaterThan(Date.now());
      else expect(Date.parse(ended), line).to.be.lessThan(Date.now());
      const [major = ''] = line.split('.');
      const sentence = `On Node.js ${major} it runs and is tested, but gets no fixes any more.`;
      if (ended !== undefined) expect(readPage('README.md').replaceAll('\n', ' ')).to.include(sentence);
    }
  });

  it('has the lines of Node.js on which .ci/run runs the suites of the platform', () => {
    const [, tested = ''] = /^node_lines=\((.*)\)$/m.exec(readPage('.ci/run')) ?? [];
    expect(lines).to.deep.equal(tested.split(' '));
  });

  it('has the lines of Express of package.json, and the suites run on each', () => {
    const ranges = manifest.peerDependencies.express.split(' || ');
    const listed = rowsOf(PAGE, 'Express').map(([line = '']) => line);
    const majors = listed.map((line) => line.split(' ')[0]);
    expect(majors.map((version) => `^${version ?? ''}`)).to.deep.equal(ranges);
    const [, newest = ''] = / to (\S+)/.exec(listed[0] ?? '') ?? [];
    expect(manifest.devDependencies).to.include.keys('express', 'express4', 'express4-18');
    expect(manifest.devDependencies['express4']).to.match(new RegExp(`@\\^${newest.replace('.', '\\.')}\\.\\d+$`));
  });

  it('has the versions of Bun and Deno that test/consumers/runtimes and .ci/run install', () => {
    const consumer = readPage('test/consumers/runtimes/run.js');
    const versions = [...consumer.matchAll(/(bun|deno): \{\s+version: '([^']+)'/g)].map(
      ([, name = '', version = '']) => {
        expect(readPage('.ci/run')).to.include(`${name}@${version}`);
        return `${name} ${version.split('.').slice(0, 2).join('.')}`;
      },
    );
    expect(rowsOf(PAGE, 'runtime').map(([runtime = '']) => runtime.toLowerCase())).to.deep.equal(versions);
  });

  it('names the oldest TypeScript that compiles the tarball', () => {
    const consumer = readPage('test/consumers/typescript-commonjs/package.json');
    const [, oldest] = /"typescript": "~(\d+\.\d+)\./.exec(consumer) ?? [];
    expect(readPage(PAGE)).to.include(`TypeScript ${oldest ?? '?'} and later`);
  });
});
