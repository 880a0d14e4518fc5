import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect } from 'chai';

const ROOT = path.resolve(__dirname, '../..');
const ENTRY = 'express-merchant-auth/openapi';
const OWN = [
  'dist/errors/auth-error.js',
  'dist/errors/catalogue.js',
  'dist/errors/stack-traces.js',
  'dist/login/login-schema.js',
  'dist/openapi/index.js',
  'dist/openapi/open-api.js',
  'dist/openapi/responses.js',
  'dist/openapi/schemas.js',
  'dist/options/another-copy.js',
  'dist/options/check-options.js',
  'dist/options/parse-options.js',
  'dist/options/realm.js',
  'dist/options/reference-name.js',
];

describe('the built entry point for OpenAPI', () => {
  for (const [how, script] of [
    ['required', ['-e', `const auth = require('${ENTRY}'); const { cache } = require;`]],
    [
      'imported',
      ['--input-type=module', '-e', `import * as auth from '${ENTRY}'; import { _cache as cache } from 'module';`],
    ],
  ] as const) {
    it(`has two names, and loads no package, when it is ${how}`, () => {
      const print = 'auth.openApi(); console.log(JSON.stringify([Object.keys(auth), Object.keys(cache)]))';
      const args = [...script.slice(0, -1), `${script.at(-1)} ${print}`];
      const output = execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
      const [names, files] = JSON.parse(output) as [string[], string[]];
      expect(names.sort()).to.deep.equal(['guardedResponses', 'openApi']);
      const loaded = files.map((file) => path.relative(ROOT, file).replaceAll(path.sep, '/'));
      expect(loaded.sort()).to.deep.equal(OWN);
    });
  }
});
