import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect } from 'chai';

const ROOT = path.resolve(__dirname, '../..');
const ENTRY = 'express-merchant-auth/openapi';
const LIST = 'console.log(JSON.stringify(Object.keys(cache)))';

/** Runs a script in another process and returns the CommonJS files that it loaded, relative to the root. */
function filesLoadedBy(...script: readonly string[]): string[] {
  const files = JSON.parse(execFileSync(process.execPath, script, { cwd: ROOT, encoding: 'utf8' })) as string[];
  return files.map((file) => path.relative(ROOT, file).replaceAll(path.sep, '/')).sort();
}

describe('the built entry point for OpenAPI', () => {
  const OWN = [
    'dist/errors/auth-error.js',
    'dist/errors/catalogue.js',
    'dist/errors/stack-traces.js',
    'dist/login/login-schema.js',
    'dist/openapi/index.js',
    'dist/openapi/open-api.js',
    'dist/openapi/responses.js',
    'dist/openapi/schemas.js',
    'dist/options/check-options.js',
    'dist/options/parse-options.js',
    'dist/options/realm.js',
  ];

  it('loads no package when it is required', () => {
    const script = `require('${ENTRY}').openApi(); const { cache } = require; ${LIST}`;
    expect(filesLoadedBy('-e', script)).to.deep.equal(OWN);
  });

  it('loads no package when it is imported', () => {
    const script = `import { openApi } from '${ENTRY}'; import module from 'node:module';
      openApi(); const cache = module._cache; ${LIST}`;
    expect(filesLoadedBy('--input-type=module', '-e', script)).to.deep.equal(OWN);
  });

  it('would fail these tests if it loaded a package', () => {
    const files = filesLoadedBy('-e', `require('express-merchant-auth'); const { cache } = require; ${LIST}`);
    expect(files.filter((file) => file.includes('node_modules/'))).not.to.deep.equal([]);
  });

  it('has the same names with `import` as with `require`', async () => {
    const imported = (await import(ENTRY)) as object;
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- compared with the import
    const required = require(ENTRY) as object;
    expect(Object.keys(imported).sort()).to.deep.equal(['guardedResponses', 'openApi']);
    expect(Object.keys(required).sort()).to.deep.equal(Object.keys(imported).sort());
  });
});
