import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { type Dependency, lockedDependencies } from './production-tree.js';

const ROOT = path.resolve(__dirname, '../..');

/** Licenses that let a host use, change and sell its program without publishing it. */
const LICENSES = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT'];

/** Packages whose manifest has no `license`, and the file that has it. */
const LICENSE_FILES: Readonly<Record<string, string>> = {
  'passport-local@1.0.0': 'LICENSE',
  'passport-strategy@1.0.0': 'LICENSE',
  'pause@0.0.1': 'Readme.md',
};

const MIT = /MIT License|Permission is hereby granted, free of charge/;

const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall'];

function isLicensed({ name, version, license, folder }: Dependency): boolean {
  if (license !== undefined) return LICENSES.includes(license);
  const file = LICENSE_FILES[`${name}@${version}`];
  return file !== undefined && MIT.test(readFileSync(path.join(folder, file), 'utf8'));
}

/** Returns true if npm runs a program of the package when somebody installs it. */
function runsAtInstall({ folder, hasInstallScript }: Pick<Dependency, 'folder' | 'hasInstallScript'>): boolean {
  if (hasInstallScript === true || existsSync(path.join(folder, 'binding.gyp'))) return true;
  const manifest = path.join(folder, 'package.json');
  // Binaries for other platforms are not installed.
  if (!existsSync(manifest)) return false;
  const { scripts = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly scripts?: object };
  return INSTALL_SCRIPTS.some((script) => script in scripts);
}

const names = (dependencies: readonly Dependency[]) => dependencies.map(({ name }) => name);

describe('the production dependencies', () => {
  let dependencies: readonly Dependency[];

  before('list them', async () => {
    dependencies = await lockedDependencies();
  });

  it('are those of the package, with the binaries for all platforms', () => {
    const { dependencies: direct } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
      readonly dependencies: object;
    };
    expect(names(dependencies)).to.include.members(Object.keys(direct));
    for (const platform of ['linux-x64-gnu', 'linux-arm64-musl', 'darwin-arm64', 'win32-x64-msvc']) {
      expect(names(dependencies)).to.include(`@node-rs/argon2-${platform}`);
    }
    expect(names(dependencies)).not.to.include.any.members(['express', 'mocha', 'swagger-ui-dist']);
  });

  it('have licenses that a closed program can use, in their manifest except for the listed ones', () => {
    expect(names(dependencies.filter((dependency) => !isLicensed(dependency)))).to.deep.equal([]);
    const without = dependencies.filter(({ license }) => license === undefined);
    expect(without.map(({ name, version }) => `${name}@${version}`)).to.have.members(Object.keys(LICENSE_FILES));
  });

  it('run no program at install, and neither does the package', () => {
    expect(names(dependencies.filter(runsAtInstall))).to.deep.equal([]);
    expect(runsAtInstall({ folder: ROOT })).to.equal(false);
  });
});
