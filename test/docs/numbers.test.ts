import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { CONNECTION_TIMEOUT_MS, QUERY_TIMEOUT_MS } from '../../example-app/src/stores/timeouts.js';
import { entryOf } from '../../src/errors/catalogue.js';
import { MAX_INSIDE } from '../../src/login/admission.js';
import { LOGIN_OPTIONS } from '../../src/login/login-options.js';
import { LOGIN_SCHEMA } from '../../src/login/login-schema.js';
import { BODY_TIMEOUT_MS } from '../../src/login/read-login-body.js';
import { TIMEOUT_MS as FORMAT_TIMEOUT_MS } from '../../src/passwords/host-format.js';
import { MAX_CHARACTERS } from '../../src/passwords/login-text.js';
import { MAX_WAIT_MS } from '../../src/passwords/slots.js';
import { DEFAULT_STORE_TIMEOUT_MS, MAX_IDS } from '../../src/store/call-store.js';
import { TIMEOUT_MS as COUNTER_TIMEOUT_MS } from '../../src/throttle/backend.js';
import { MAX_KEYS, MAX_OWNED } from '../../src/throttle/memory-limiter.js';
import { KNOWN_SOURCE_SECONDS } from '../../src/throttle/throttle-options.js';
import { TOKEN_LIFETIME_SECONDS } from '../../src/tokens/rules.js';
import { PAGES, readPage } from '../helpers/snippets.js';

const ROOT = path.resolve(__dirname, '../..');

const count = (number: number) => number.toLocaleString('en');
const secondsOf = (milliseconds: number) => milliseconds / 1_000;
const days = KNOWN_SOURCE_SECONDS / 86_400;
const lifetime = count(TOKEN_LIFETIME_SECONDS);

/** A login waits for its body, its account, a slot and a format of the host, and four times for counters. */
const slowestLogin =
  BODY_TIMEOUT_MS + DEFAULT_STORE_TIMEOUT_MS + MAX_WAIT_MS + FORMAT_TIMEOUT_MS + 4 * COUNTER_TIMEOUT_MS;

const [emails, passwords] = [LOGIN_SCHEMA.properties.email, LOGIN_SCHEMA.properties.password].map(
  ({ minLength, maxLength }) => `${minLength} to ${maxLength}`,
);

/** Parts of sentences with the numbers of the code, and the files that have them. */
const NUMBERS: readonly (readonly [part: string, ...files: readonly string[]])[] = [
  [`cannot start within ${secondsOf(MAX_WAIT_MS)} s,`, 'src/passwords/passwords.ts'],
  [`after ${secondsOf(MAX_WAIT_MS)} s<`, 'docs/login.svg'],
  [`Nobody waits longer than ${secondsOf(MAX_WAIT_MS)} seconds`, 'docs/failed-logins.md'],
  [`A call that takes longer than ${secondsOf(FORMAT_TIMEOUT_MS)} s gives`, 'src/passwords/format.ts'],
  [`share one read, for at most ${secondsOf(DEFAULT_STORE_TIMEOUT_MS)} s,`, 'src/store/cached-user-store.ts'],
  [`after ${secondsOf(DEFAULT_STORE_TIMEOUT_MS)} seconds at most, and never 401`, 'docs/operations.md'],
  [`decides on a login within ${secondsOf(slowestLogin)} seconds by default`, 'client/src/client-options.ts'],
  [
    `up to ${secondsOf(BODY_TIMEOUT_MS)} s for its body, ${secondsOf(CONNECTION_TIMEOUT_MS + QUERY_TIMEOUT_MS)} s for the database and ${secondsOf(MAX_WAIT_MS)} s`,
    'example-app/src/drain.ts',
  ],
  [`2 to ${MAX_IDS} ids, each once`, 'src/store/user-store.ts', 'docs/writing-a-store.md'],
  [`At most ${count(MAX_INSIDE)} are,`, 'docs/failed-logins.md'],
  [`At most ${LOGIN_OPTIONS.maxPendingLogins('', undefined)} do, the option`, 'docs/failed-logins.md'],
  [`holds at most ${count(MAX_KEYS)} keys`, 'docs/failed-logins.md'],
  [`memory, at most ${count(MAX_KEYS)} keys`, 'src/throttle/throttle-options.ts'],
  [`An email has at most ${count(MAX_OWNED)} known sources`, 'docs/failed-logins.md'],
  [`known to an email for ${days} days`, 'docs/failed-logins.md'],
  [`logged in to this email within ${days} days`, 'src/throttle/throttle-options.ts'],
  [`at most ${count(KNOWN_SOURCE_SECONDS)} (${days} days)`, 'src/throttle/throttle-options.ts'],
  [`longer than ${COUNTER_TIMEOUT_MS} ms`, 'src/throttle/throttle-options.ts', 'docs/serverless.md'],
  [`Each call gets ${COUNTER_TIMEOUT_MS} ms`, 'docs/operations.md'],
  [`over ${MAX_CHARACTERS} characters`, 'src/passwords/passwords.ts', 'docs/existing-app.md'],
  [`1 to ${MAX_CHARACTERS} code points`, 'src/login/login.ts'],
  [`1 to ${MAX_CHARACTERS} characters`, 'docs/existing-app.md'],
  [
    `email of ${MAX_CHARACTERS} characters`,
    'src/testing/user-store-contract/cases/emails.ts',
    'docs/writing-a-store.md',
  ],
  [`column below \`varchar(${MAX_CHARACTERS})\``, 'docs/writing-a-store.md'],
  [`interface allows ${MAX_CHARACTERS} characters`, 'docs/writing-a-store.md'],
  [`[up to ${MAX_CHARACTERS}](interface`, 'docs/standards.md'],
  [`passwords of ${passwords} characters`, 'docs/standards.md'],
  [`| \`email\` | string | ${emails} characters`, 'docs/interface.md'],
  [`| \`password\` | string | ${passwords} characters`, 'docs/interface.md'],
  [`\`email\` has ${emails} characters with an \`@\`, and its \`password\` has ${passwords}.`, 'docs/passport-jwt.md'],
  [`an email of ${emails} characters with an \`@\`, and a password of ${passwords}.`, 'docs/recipes.md'],
  [`the API email: ${emails} characters`, 'client/src/client-options.ts'],
  [`the API password: ${passwords} characters`, 'client/src/client-options.ts'],
  [
    `The login takes no more characters. */ const MAX_LENGTH = ${MAX_CHARACTERS};`,
    'example-app/src/operate/read-password.ts',
  ],
  [`an email of at least ${LOGIN_SCHEMA.properties.email.minLength} characters`, 'example-app/src/operate/commands.ts'],
  [
    `cannot be reached right now. Try again later.', retryAfterSeconds: ${entryOf('store_unavailable').retryAfterSeconds?.()}`,
    'example-app/src/errors/api-error.ts',
  ],
  [`valid for ${lifetime} seconds`, 'src/login/login.ts', 'src/tokens/tokens.ts', 'README.md'],
  [`hours, which are ${lifetime} seconds`, 'docs/interface.md'],
  [`at most ${lifetime} after \`iat\``, 'src/tokens/rules.ts'],
  [`LIFETIME_MS = ${count(TOKEN_LIFETIME_SECONDS * 1_000).replaceAll(',', '_')}`, 'client/src/session.ts'],
];

/** Returns the text of a file as one line, without the asterisks of its docstrings and the padding of its tables. */
function textOf(file: string): string {
  return readPage(file).replaceAll(/\s+(?:\* )?/g, ' ');
}

/** Matches a part of a sentence with any numbers. */
function withAnyNumbers(part: string): RegExp {
  const escaped = part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(escaped.replaceAll(/\d+(?:[,_]\d+)*/g, '\\d+(?:[,_]\\d+)*'), 'g');
}

/** Lists the files of a folder that people read or compile. */
function filesIn(folder: string): string[] {
  const names = fs.readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /\.(?:ts|svg)$/.test(name)).map((name) => path.join(folder, name));
}

describe('The numbers in docstrings, on pages and in diagrams', () => {
  for (const [part, ...files] of NUMBERS) {
    it(`are those of the code: ${part}`, () => {
      for (const file of files) {
        const found = new Set(textOf(file).match(withAnyNumbers(part)));
        expect([...found], file).to.deep.equal([part]);
      }
    });
  }

  it('give a token the same hours everywhere', () => {
    const hours = ['one', 'two', 'three', 'four', 'five', 'six'][TOKEN_LIFETIME_SECONDS / 3_600 - 1];
    const folders = ['src', 'client/src', 'audit/src', 'example-app/src', 'docs'].flatMap(filesIn);
    const pages = PAGES.filter((page) => page !== 'CHANGELOG.md');
    for (const file of [...pages, ...folders]) {
      const found = textOf(file).match(/\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten) hours\b/g) ?? [];
      for (const text of found)
        expect(text, file).to.be.oneOf([`${hours} hours`, `${TOKEN_LIFETIME_SECONDS / 3_600} hours`]);
    }
  });
});
