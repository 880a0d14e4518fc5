import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import type { Request } from 'express';
import type { Runnable, Suite, Test } from 'mocha';
import { sourceOf } from '../../src/http/source.js';
import { createLoginThrottle } from '../../src/index.js';
import { freezeTime } from '../helpers/frozen-time.js';
import { onEachExpress } from '../helpers/on-each-express.js';
import { readPage } from '../helpers/snippets.js';

const ROOT = path.resolve(__dirname, '../..');

/** The chapters of ASVS 5.0 that the table is about. */
const CHAPTERS = [2, 4, 6, 7, 8, 9, 11, 13, 14, 15, 16];

/** The cells of the rows of the page's tables whose first cell looks so, with their code marks. */
function rowsOf(page: string, first: RegExp): string[][] {
  const lines = readPage(page).split('\n');
  const rows = lines.filter((line) => line.startsWith('|')).map((line) => line.split('|').slice(1, -1));
  return rows.map((cells) => cells.map((cell) => cell.trim())).filter(([cell = '']) => first.test(cell));
}

/** The rows of the table of requirements. */
const requirements = rowsOf('SECURITY.md', /^\d/).map(([number = '', level = '', asks = '', how = '', last = '']) => {
  const titles = [...last.matchAll(/`([^`]+)`/g)].map(([, title = '']) => title);
  return { number, level, asks, how, last, titles: how === 'met' ? titles : [] };
});

const named = [...new Set(requirements.flatMap(({ titles }) => titles))];

function filesIn(folder: string, end: string): string[] {
  const files = fs.readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith(end)).map((file) => path.join(ROOT, folder, file));
}

const testFiles = filesIn('test', '.test.ts').filter((file) => !file.startsWith(path.join(ROOT, 'test/consumers')));

/** Whether mocha was given every file. All are loaded before the first test runs. */
function isEveryFileLoaded(): boolean {
  return testFiles.every((file) => require.cache[file] !== undefined);
}

function testsOf(suite: Suite | undefined): Test[] {
  return suite === undefined ? [] : [...suite.tests, ...suite.suites.flatMap(testsOf)];
}

/** Every test that mocha has loaded. */
function allTests(runnable: Runnable | undefined): Test[] {
  let suite = runnable?.parent;
  while (suite?.parent !== undefined) suite = suite.parent;
  return testsOf(suite);
}

/** A test's titles as the table writes them, whichever Express it is for. */
function titleOf(test: Test): string {
  return test
    .titlePath()
    .join(' › ')
    .replace(/ \(Express \d\)/, '');
}

/** The titles of the tests in all files, from a mocha of its own that loads them and runs nothing. */
function listedTitles(): string[] {
  const mocha = require.resolve('mocha/bin/mocha.js');
  const options = { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 } as const;
  const output = execFileSync(process.execPath, [mocha, '--dry-run', '--reporter', 'json'], options);
  const { tests } = JSON.parse(output.slice(output.indexOf('{'))) as { tests: { readonly fullTitle: string }[] };
  return tests.map(({ fullTitle }) => fullTitle.replace(/ \(Express \d\)/, ''));
}

describe('SECURITY.md', () => {
  it('lists requirements of ASVS 5.0 by their numbers, each once and in order', () => {
    const numbers = requirements.map(({ number }) => number);
    for (const number of numbers) {
      expect(number).to.match(/^[1-9]\d?(\.[1-9]\d?){2}$/);
      expect(CHAPTERS, number).to.include(Number.parseInt(number, 10));
    }
    expect(numbers).to.deep.equal([...new Set(numbers)].sort((a, b) => a.localeCompare(b, 'en', { numeric: true })));
    expect([...new Set(numbers.map((number) => Number.parseInt(number, 10)))]).to.deep.equal(CHAPTERS);
  });

  it('says of each its level, what it asks, and how it is met', () => {
    for (const { number, level, asks, how, last, titles } of requirements) {
      expect(['1', '2', '3'], number).to.include(level);
      expect(asks, number).not.to.equal('');
      expect(['met', "host's duty", 'not applicable'], number).to.include(how);
      expect(last, number).not.to.equal('');
      if (how !== 'met') expect(last, number).not.to.include('›');
      else expect(last, number).to.equal(titles.map((title) => `\`${title}\``).join(', '));
    }
  });

  // With some of the files only, the others are listed and not run: then this is all that can be known of them.
  it('names tests that exist, where it says that a requirement is met', function () {
    this.timeout(60_000);
    const isEvery = isEveryFileLoaded();
    const existing = new Set(isEvery ? allTests(this.test).map(titleOf) : listedTitles());
    const missing = named.filter((title) => !existing.has(isEvery ? title : title.replaceAll(' › ', ' ')));
    expect(named).not.to.deep.equal([]);
    expect(missing).to.deep.equal([]);
  });
});

// At the root, so that it comes after the tests of all files. Where some of them were left out, by file or with --grep,
// it says nothing.
after('the tests that SECURITY.md names have run', function () {
  const tests = allTests(this.test);
  if (!isEveryFileLoaded() || tests.some((test) => !test.isPending() && test.state === undefined)) return;
  const skipped = tests.filter((test) => test.isPending()).map(titleOf);
  expect(named.filter((title) => skipped.includes(title))).to.deep.equal([]);
});

describe('the limits that README.md names', () => {
  it('are those by which failed logins are counted', async () => {
    freezeTime();
    const rows = rowsOf('README.md', /^one (email|source|peer)/);
    expect(rows.map(([counter]) => counter)).to.deep.equal([
      'one email from one source',
      'one source, all emails',
      'one email, all sources',
      'one peer, all emails',
    ]);
    for (const [counter = '', limit = ''] of rows) {
      const [, failures, minutes] = /^([\d,]+) in (?:(\d+) minutes|an hour)$/.exec(limit) ?? [];
      const most = Number(failures?.replace(',', ''));
      const throttle = createLoginThrottle();
      // Whatever of the keys is not counted here is another one each time.
      const keysOf = (time: number) => ({
        email: counter.startsWith('one email') ? 'awa' : `email ${time}`,
        origin: /one (source|peer)/.test(counter) ? 'shop' : `source ${time}`,
        emailAndOrigin: counter === 'one email from one source' ? 'awa from shop' : `pair ${time}`,
        isSourceDetermined: !counter.startsWith('one peer'),
      });
      for (let time = 0; time < most; time++) {
        expect((await throttle.check(keysOf(time))).seconds, counter).to.equal(0);
        expect(await throttle.fail(keysOf(time)), counter).to.equal(0);
      }
      expect((await throttle.check(keysOf(-1))).seconds, counter).to.equal(Number(minutes ?? 60) * 60);
    }
  });
});

onEachExpress('the settings of trust proxy that SECURITY.md shows', ({ express }) => {
  const CALLER = '198.51.100.7';
  /** Who connects to the app, and what the proxies have appended to `X-Forwarded-For`, in the order of the page. */
  const chains: [peer: string | undefined, appended: string[]][] = [
    [CALLER, []],
    ['127.0.0.1', [CALLER]],
    [undefined, [CALLER]],
    ['10.0.3.7', [CALLER]],
    ['::ffff:127.0.0.1', [CALLER, '10.0.3.7']],
    ['203.0.113.80', [CALLER, '203.0.113.90']],
  ];
  const settings = rowsOf('SECURITY.md', /./).flatMap(([, setting = '']) => {
    const [, value] = /^`app\.set\('trust proxy', (.+)\)`$/.exec(setting) ?? [];
    return value === undefined ? [] : [JSON.parse(value.replaceAll("'", '"')) as unknown];
  });

  it('count callers by the address that they have, whatever they send', () => {
    expect(settings).to.have.length(chains.length);
    for (const [row, [peer, appended]] of chains.entries()) {
      const app = express();
      app.set('trust proxy', settings[row]);
      for (const sent of [[], ['192.0.2.1'], ['192.0.2.1', '127.0.0.1', '10.0.3.9'], ['unknown']]) {
        const forwarded = [...sent, ...appended].join(', ');
        const req = Object.create(app.request, {
          socket: { value: { remoteAddress: peer } },
          headers: { value: forwarded === '' ? {} : { 'x-forwarded-for': forwarded } },
        }) as Request;
        expect(sourceOf(req), `${JSON.stringify(settings[row])}, ${forwarded}`).to.equal(CALLER);
      }
    }
  });
});

describe('the cryptography that SECURITY.md names', () => {
  const CRYPTOGRAPHY = ['@node-rs/argon2', '@node-rs/bcrypt', 'ajv', 'jsonwebtoken', 'node:crypto'];
  const OTHERS = [
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
    const files = [...filesIn('src', '.ts'), ...filesIn('src', '.mts')];
    const sources = files.map((file) => fs.readFileSync(file, 'utf8'));
    const imported = sources.flatMap((text) => [...text.matchAll(/\bfrom '([^.'][^']*)'/g)].map(([, name]) => name));
    const modules = new Set(imported.filter((name) => name === 'node:crypto' || name?.startsWith('node:') === false));
    expect([...modules]).to.have.members([...CRYPTOGRAPHY, ...OTHERS]);
    for (const text of sources) expect(text).not.to.match(/\b(md5|sha1)\b|\beval\(|\bnew Function\(/);
    const guessable = files.filter((_, index) => sources[index]?.includes('Math.random'));
    // The seconds of Retry-After need not be secret.
    expect(guessable).to.deep.equal([path.join(ROOT, 'src/errors/catalogue.ts')]);
    const [section = ''] = /^## Cryptography\n[\s\S]*?(?=^## )/m.exec(readPage('SECURITY.md')) ?? [];
    for (const name of CRYPTOGRAPHY) expect(section.toLowerCase()).to.include(name);
  });
});
