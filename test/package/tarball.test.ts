import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';

const ROOT = path.resolve(__dirname, '../..');

interface Manifest {
  readonly main: string;
  readonly types: string;
  readonly exports: unknown;
  readonly typesVersions: unknown;
}

function pathsIn(value: unknown): string[] {
  return typeof value === 'string' ? [value] : Object.values(value as object).flatMap(pathsIn);
}

describe('the tarball', () => {
  const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as Manifest;
  let files: readonly string[];

  before('list what npm would pack', function () {
    this.timeout(120_000);
    const listing = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [packed] = JSON.parse(listing) as [{ readonly files: readonly { readonly path: string }[] }];
    files = packed.files.map((file) => file.path);
  });

  it('contains every file that package.json names', () => {
    const promised = pathsIn([manifest.main, manifest.types, manifest.exports, manifest.typesVersions]);
    expect(promised).to.include('./dist/index.js').and.include('./dist/index.mjs');
    for (const entry of ['testing', 'client', 'openapi']) {
      expect(promised).to.include(`./dist/${entry}/index.js`).and.include(`./dist/${entry}/index.mjs`);
    }
    expect(files).to.include.members(promised.map((file) => path.posix.normalize(file)));
  });

  it('contains nothing except the build, the manifest and the pages (ASVS 15.2.3)', () => {
    const others = files.filter((file) => !/^dist\/.+\.(?:js|mjs|d\.ts|d\.mts)$/.test(file));
    const guides = readdirSync(path.join(ROOT, 'docs')).filter((name) => /\.(?:md|png|svg|json)$/.test(name));
    const pages = ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', ...guides.map((name) => `docs/${name}`)];
    expect(others).to.have.members([...pages, 'package.json']);
    expect(others).to.include.members(['docs/token-life.svg', 'docs/postman.json']);
  });

  it('has a declaration for every module', () => {
    const modules = files.filter((file) => /\.m?js$/.test(file));
    expect(files).to.include.members(modules.map((file) => file.replace(/\.(m?)js$/, '.d.$1ts')));
  });
});
