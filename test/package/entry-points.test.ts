import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect } from 'chai';
import type * as source from '../../src/index.js';
import type * as testingSource from '../../src/testing/index.js';
import { INVALID_TOKEN } from '../helpers/answers.js';

type Package = typeof source;
type Testing = typeof testingSource;

const load = createRequire(__filename);
/** Resolved by the package's own `exports`, to what was built. */
const { name: NAME } = load('../../package.json') as { readonly name: string };

describe('the built package', () => {
  let required: Package;
  let imported: Package;

  before('load it', async () => {
    required = load(NAME) as Package;
    imported = (await import(NAME)) as Package;
  });

  it('has the same names with `import` as with `require`, and no default', () => {
    const names = Object.keys(imported);
    expect([...names].sort()).to.deep.equal(Object.keys(required).sort());
    expect(names).to.include.members(['createLoginRouter', 'requireBearer', 'requireOwnReference', 'merchantOf']);
    expect(names).not.to.include('default');
  });

  it('is one instance with `import` and with `require`', () => {
    for (const name of Object.keys(required) as (keyof Package)[]) expect(imported[name]).to.equal(required[name]);
    expect(new required.AuthError(INVALID_TOKEN)).to.be.instanceOf(imported.AuthError);
  });
});

describe('the built entry point for tests', () => {
  const TESTING = `${NAME}/testing`;

  it('has the same names and is one instance with `import` and with `require`', async () => {
    const required = load(TESTING) as Testing;
    const imported = (await import(TESTING)) as Testing;
    const names = ['createTestTokens', 'userStoreContract'];
    expect(Object.keys(imported).sort()).to.deep.equal(names);
    expect(Object.keys(required).sort()).to.deep.equal(Object.keys(imported).sort());
    for (const name of Object.keys(required) as (keyof Testing)[]) expect(imported[name]).to.equal(required[name]);
  });

  it('loads neither Express nor a test runner', () => {
    const script = `require('${TESTING}'); console.log(JSON.stringify(Object.keys(require.cache)));`;
    const cwd = path.resolve(__dirname, '../..');
    const files = JSON.parse(execFileSync(process.execPath, ['-e', script], { cwd, encoding: 'utf8' })) as string[];
    const packages = new Set(files.map((file) => /node_modules[\\/]([^\\/]+)/.exec(file)?.[1]));
    expect(packages).to.include('jsonwebtoken');
    for (const foreign of ['express', 'passport', 'mocha', 'chai', 'ajv']) expect(packages).not.to.include(foreign);
  });
});
