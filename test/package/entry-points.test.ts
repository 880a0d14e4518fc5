import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect } from 'chai';
import * as core from '../../src/index.js';
import * as openapi from '../../src/openapi/index.js';
import * as testing from '../../src/testing/index.js';

const ROOT = path.resolve(__dirname, '../..');
const load = createRequire(__filename);

/** The entry points, resolved by the package's own `exports` to what was built, and their sources. */
const SOURCES: Readonly<Record<string, object>> = {
  'express-merchant-auth': core,
  'express-merchant-auth/testing': testing,
  'express-merchant-auth/openapi': openapi,
};

/** Returns the packages that a new process loads with an entry point. */
function packagesOf(entry: string): string[] {
  const script = `require('${entry}').openApi?.(); console.log(JSON.stringify(Object.keys(require.cache)));`;
  const files = JSON.parse(execFileSync(process.execPath, ['-e', script], { cwd: ROOT, encoding: 'utf8' })) as string[];
  return files.flatMap((file) => /node_modules[\\/]([^\\/]+)/.exec(file)?.[1] ?? []);
}

for (const [entry, source] of Object.entries(SOURCES)) {
  it(`the built ${entry} has the names of its source and no default, and is one instance with import and with require`, async () => {
    const required = load(entry) as Readonly<Record<string, unknown>>;
    const imported = (await import(entry)) as Readonly<Record<string, unknown>>;
    expect(Object.keys(imported)).to.have.members(Object.keys(source));
    expect(Object.keys(required)).to.have.members(Object.keys(source));
    for (const [name, value] of Object.entries(required)) expect(imported[name], name).to.equal(value);
  });
}

it('the built entry point for tests loads neither Express nor a test runner', () => {
  const packages = packagesOf('express-merchant-auth/testing');
  expect(packages).to.include('jsonwebtoken');
  for (const foreign of ['express', 'passport', 'mocha', 'chai', 'ajv']) expect(packages).not.to.include(foreign);
});

it('the built entry point for OpenAPI loads no package', () => {
  expect(packagesOf('express-merchant-auth/openapi')).to.deep.equal([]);
});
