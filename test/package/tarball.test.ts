import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { expect } from 'chai';
import { publint } from 'publint';
import { npm } from './npm.js';
import { installedDependencies, sizeOf } from './production-tree.js';

const ROOT = path.resolve(__dirname, '../..');

/** The files of the repository that `npm pack` needs for all packages, except for those in node_modules. */
const SOURCES = [
  ...[
    'AGENTS.md',
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'docs',
    'package.json',
    'src',
    'tsconfig.json',
  ],
  ...['LICENSE', 'README.md', 'package.json', 'src', 'tsconfig.json'].map((name) => `client/${name}`),
  ...['LICENSE', 'README.md', 'package.json', 'src'].map((name) => `audit/${name}`),
];

const GUIDES = readdirSync(path.join(ROOT, 'docs')).filter((name) => /\.(?:md|png|svg|json)$/.test(name));

/** The packages, each with its entry points, and with its files beside the build and the manifest. */
const PACKAGES = [
  {
    name: 'express-merchant-auth',
    folder: '.',
    entries: ['.', './testing', './openapi'],
    pages: [
      'AGENTS.md',
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      ...GUIDES.map((name) => `docs/${name}`),
      'docs/fr/pour-les-marchands.md',
      'docs/prometheus-rules.yml',
    ],
  },
  { name: 'express-merchant-auth-client', folder: 'client', entries: ['.'], pages: ['LICENSE', 'README.md'] },
  { name: 'express-merchant-auth-audit', folder: 'audit', entries: ['.'], pages: ['LICENSE', 'README.md'] },
] as const;

interface Packed {
  readonly filename: string;
  readonly integrity: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

/** Packs the package in a folder, and puts the tarball there. */
async function pack(root: string, folder: string, ...options: readonly string[]): Promise<Packed> {
  const { code, output, errors } = await npm(root, 'pack', '--json', '--pack-destination', folder, ...options);
  expect(code, errors).to.equal(0);
  const [packed] = JSON.parse(output) as [Packed];
  return packed;
}

for (const { name, folder, entries, pages } of PACKAGES) {
  describe(`the tarball of ${name}`, () => {
    const root = path.join(ROOT, folder);
    const scratch = realpathSync(mkdtempSync(path.join(tmpdir(), 'tarball-')));
    let packed: Packed;
    let files: readonly string[];
    const bytes = () => new Uint8Array(readFileSync(path.join(scratch, packed.filename)));

    before('pack what is built', async () => {
      packed = await pack(root, scratch, '--ignore-scripts');
      files = packed.files.map((file) => file.path);
    });

    after('remove it', () => rmSync(scratch, { recursive: true }));

    it('contains nothing except the build, the manifest and the pages', () => {
      const others = files.filter((file) => !/^dist\/.+\.(?:js|mjs|d\.ts|d\.mts)$/.test(file));
      expect(others).to.have.members([...pages, 'package.json']);
    });

    it('has the same bytes when a copy of the sources is built and packed in another folder', async () => {
      const copy = path.join(scratch, 'copy');
      for (const source of SOURCES) cpSync(path.join(ROOT, source), path.join(copy, source), { recursive: true });
      mkdirSync(path.join(copy, 'node_modules'));
      // The audit compiles against the built core, which this copy does not have yet.
      for (const name of readdirSync(path.join(ROOT, 'node_modules'))) {
        const target = name === 'express-merchant-auth' ? copy : path.join(ROOT, 'node_modules', name);
        symlinkSync(target, path.join(copy, 'node_modules', name), 'junction');
      }
      const again = await pack(path.join(copy, folder), copy, '--foreground-scripts=false');
      const sizes = ({ files }: Packed) => files.map(({ path: file, size }) => `${file} ${size}`).join('\n');
      expect(sizes(again), 'dist is not what `npm run build` makes').to.equal(sizes(packed));
      expect(again.integrity).to.equal(packed.integrity);
    });

    it('has no mistake that publint knows', async () => {
      const { messages } = await publint({ strict: true, pack: { tarball: bytes().buffer } });
      expect(messages).to.deep.equal([]);
    });

    it('has types that each kind of import resolves', async () => {
      const result = await checkPackage(createPackageFromTarballData(bytes()));
      if (!result.types) throw new Error('The tarball has no types.');
      expect(Object.keys(result.entrypoints)).to.have.members([...entries, './package.json']);
      expect(result.problems).to.deep.equal([]);
    });

    if (folder !== '.') return;

    it('is installed with as many packages and megabytes as the README says, on Linux x64', async function () {
      if (`${process.platform} ${process.arch}` !== 'linux x64') this.skip();
      const folders = await installedDependencies();
      const bytes = folders.map(sizeOf).reduce((sum, size) => sum + size, packed.unpackedSize);
      const words = `It installs ${folders.length + 1} packages, ${Math.round(bytes / 1e6)} MB on Linux x64.`;
      expect(readFileSync(path.join(ROOT, 'README.md'), 'utf8')).to.include(words);
    });
  });
}

describe('release.yml', () => {
  const jobs = readFileSync(path.join(ROOT, '.github/workflows/release.yml'), 'utf8').split(/^ {2}(?=[a-z]+:$)/m);
  const commandsOf = (job = '') =>
    [...job.matchAll(/^ +- (?:run|uses): (.*?)(?:@.*)?$/gm)].map(([, command]) => command);

  it('gives the right to publish only to a job that checks out, installs and builds nothing', () => {
    const [publish, ...others] = jobs.filter((job) => job.includes('id-token: write'));
    expect(others).to.deep.equal([]);
    expect(commandsOf(publish)).to.deep.equal([
      'actions/setup-node',
      'actions/download-artifact',
      'npm publish "./$PACKAGE-${GITHUB_REF_NAME#v}.tgz"',
    ]);
    const names = /package: \[(.*)\]/.exec(publish ?? '')?.[1]?.split(', ');
    expect(names).to.deep.equal(PACKAGES.map(({ name }) => name));
  });
});
