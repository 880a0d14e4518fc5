import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';

const ROOT = path.resolve(__dirname, '../..');

/** Source files without a mirror, with the reason. A key that ends with a slash stands for a whole folder. */
const EXEMPT: Readonly<Record<string, string>> = {
  index: 'only exports; test/package/entry-points.test.ts loads it',
  'bearer/guard-options': 'guard.test.ts and bearer-options.test.ts give each option',
  'client/index': 'only exports; index.bundle.test.ts loads it',
  'client/waiting': 'the session and the fetch of the client share, abort and limit their waits',
  'login/login-schema': 'a constant; credentials-schema.test.ts and test/openapi/schemas.test.ts use it',
  'openapi/index': 'only exports; open-api.loading.test.ts loads it',
  'throttle/throttle-check': 'only types',
  'testing/audit-routes/': 'its suites audit whole apps on each version of Express',
  'testing/auth-contract/': 'auth-contract.test.ts runs all cases, and test/testing/faulty-hosts fails each of them',
  'testing/user-store-contract/cases/':
    'user-store-contract.test.ts runs all cases, and test/testing/faults fails each of them',
  'testing/index': 'only exports; test/package/entry-points.test.ts loads it',
  'testing/user-store-contract/merchants': 'the accounts of the cases',
  'testing/messages': 'the messages of the cases, which test/testing/faults expects',
  'testing/user-store-contract/store-under-test': 'only types',
  'testing/user-store-contract/trial': 'user-store-contract.test.ts runs cases whose parts fail',
};

/** Folders of test whose suites are about an aspect of the whole package. */
const ASPECTS = ['adversarial', 'bench', 'consumers', 'docs', 'faults', 'package', 'spec'];

/** Returns the paths of the files below a folder that end with `ending`, without it. */
function namesIn(folder: string, ending: string): string[] {
  return fs
    .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll(path.sep, '/'))
    .filter((name) => name.endsWith(ending) && !name.includes('node_modules/') && !name.includes('.snippets/'))
    .map((name) => name.slice(0, -ending.length));
}

/** Returns the names of the files of another package, below the name of its folder. */
function namesOf(folder: string, inside: string, ending: string): string[] {
  return namesIn(`${folder}/${inside}`, ending).map((name) => `${folder}/${name}`);
}

const sources = [...namesIn('src', '.ts'), ...namesOf('client', 'src', '.ts')];
const appSources = namesOf('example-app', 'src', '.ts');
const suites = [...namesIn('test', '.test.ts'), ...namesOf('client', 'test', '.test.ts')];

/** Returns true if a name is in EXEMPT, or in a folder of EXEMPT. */
function isExempt(name: string): boolean {
  return name in EXEMPT || Object.keys(EXEMPT).some((key) => key.endsWith('/') && name.startsWith(key));
}

describe('the layout of test', () => {
  it('has a mirror for each file of src and of client/src, except for the listed ones', () => {
    expect(sources).to.have.length.above(100);
    expect(sources.filter((name) => !suites.includes(name) && !isExempt(name))).to.deep.equal([]);
  });

  it('exempts only files that exist and have no mirror', () => {
    for (const key of Object.keys(EXEMPT)) {
      const exempted = sources.filter((name) => (key.endsWith('/') ? name.startsWith(key) : name === key));
      expect(exempted, key).not.to.deep.equal([]);
      if (!key.endsWith('/')) expect(suites, key).not.to.include(key);
    }
  });

  it('names every other suite after a source file and an aspect of it', () => {
    const mirrored = suites.filter((name) => !ASPECTS.includes(name.split('/')[0] ?? ''));
    const misnamed = mirrored.filter((name) => {
      const [source = ''] = name.split(/\.(?=[^/]*$)/, 1);
      return ![...sources, ...appSources].includes(source);
    });
    // It runs what the page of the app shows.
    expect(misnamed).to.deep.equal(['example-app/readme']);
  });
});
