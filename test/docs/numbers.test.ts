import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { parseOptions } from '../../client/src/client-options.js';
import { MAX_ANSWER_BYTES } from '../../client/src/read-text.js';
import { CONNECTION_TIMEOUT_MS, QUERY_TIMEOUT_MS } from '../../example-app/src/stores/timeouts.js';
import { entryOf } from '../../src/errors/catalogue.js';
import { MAX_INSIDE } from '../../src/queue/admission.js';
import { MIN_KEY_BYTES } from '../../src/login/keyed-digest.js';
import { LOGIN_OPTIONS } from '../../src/login/login-options.js';
import { MAX_IDENTICAL, MAX_UNKNOWN } from '../../src/queue/login-queue.js';
import { LOGIN_SCHEMA } from '../../src/login/login-schema.js';
import { BODY_LIMIT_BYTES, BODY_TIMEOUT_MS } from '../../src/login/read-login-body.js';
import { DEFAULT_REALM } from '../../src/errors/auth-error.js';
import { REFERENCE_MODES } from '../../src/ownership/merchant.js';
import { DEFAULT_ARGON2_COST, MAX_ARGON2_COST } from '../../src/passwords/argon2.js';
import { MAX_BCRYPT_COST } from '../../src/passwords/bcrypt.js';
import { TIMEOUT_MS as FORMAT_TIMEOUT_MS } from '../../src/passwords/host-format.js';
import { MAX_CHARACTERS } from '../../src/passwords/login-text.js';
import { NEW_HASHES_OPTIONS } from '../../src/passwords/new-hashes.js';
import { MAX_WAIT_MS } from '../../src/queue/slots.js';
import { DEFAULT_STORE_TIMEOUT_MS, MAX_IDS } from '../../src/store/call-store.js';
import { PAUSE_MS, TIMEOUT_MS as COUNTER_TIMEOUT_MS } from '../../src/throttle/backend.js';
import { MAX_KEYS, MAX_OWNED } from '../../src/throttle/memory-limiter.js';
import { KNOWN_SOURCE_SECONDS } from '../../src/throttle/throttle-options.js';
import { algorithms } from '../../src/tokens/algorithms.js';
import { CLOCK_SKEW_SECONDS, TOKEN_LIFETIME_SECONDS } from '../../src/tokens/rules.js';
import { MIN_DISTINCT_BYTES } from '../../src/tokens/secrets.js';
import { parseTokensOptions } from '../../src/tokens/tokens-options.js';
import { STORE_UNAVAILABLE } from '../helpers/answers.js';
import { SECRET } from '../helpers/keys.js';
import { PAGES, readPage } from '../helpers/snippets.js';

const ROOT = path.resolve(__dirname, '../..');

const count = (number: number) => number.toLocaleString('en');
const words = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const secondsOf = (milliseconds: number) => milliseconds / 1_000;
const days = KNOWN_SOURCE_SECONDS / 86_400;
const lifetime = count(TOKEN_LIFETIME_SECONDS);

/** A login waits for its body, its account, a slot and a format of the host, and four times for counters. */
const slowestLogin =
  BODY_TIMEOUT_MS + DEFAULT_STORE_TIMEOUT_MS + MAX_WAIT_MS + FORMAT_TIMEOUT_MS + 4 * COUNTER_TIMEOUT_MS;

const [emails, passwords] = [LOGIN_SCHEMA.properties.email, LOGIN_SCHEMA.properties.password].map(
  ({ minLength, maxLength }) => `${minLength} to ${maxLength}`,
);

const { HS256, HS384, HS512 } = algorithms;
const issuerOf = (realm: string) => parseTokensOptions({ secret: SECRET, realm }).issuer;

/** Returns the number after a text in a file of the client, where a named export would make the bundle larger. */
function numberAfter(text: string, file: string): number {
  const [, rest = ''] = readPage(`client/src/${file}`).split(text);
  return Number(/^[\d_]+/.exec(rest)?.[0].replaceAll('_', ''));
}

const { loginPath } = parseOptions({
  baseUrl: 'https://api.example/v1',
  email: 'a@b.example',
  password: 'baobab-2026',
});
const oneOrMore = (number: number, unit: string) => (number === 1 ? `a ${unit}` : `${number} ${unit}s`);
const minutesOf = (milliseconds: number) => oneOrMore(milliseconds / 60_000, 'minute');
const refusedPause = minutesOf(numberAfter('.includes(error.status)) return ', 'login.ts'));
const longestPause = minutesOf(numberAfter('LONGEST_PAUSE_SECONDS = ', 'login.ts') * 1_000);
const newest = minutesOf(numberAfter('performance.now() - aliveAt, ', 'session.ts')).replace('a ', '');
const longestLogin = numberAfter('readText(answer, ', 'login.ts') / 1_048_576;
const cacheTimeout = oneOrMore(secondsOf(numberAfter('startTimeout(', 'token-cache.ts')), 'second');

/** Parts of sentences with the numbers and the default texts of the code, and the files that have them. */
const FACTS: readonly (readonly [part: string, ...files: readonly string[]])[] = [
  [`cannot start within ${secondsOf(MAX_WAIT_MS)} s,`, 'src/passwords/passwords.ts'],
  [`after ${secondsOf(MAX_WAIT_MS)} s<`, 'docs/login.svg', 'docs/queue.svg'],
  [`has waited for ${secondsOf(MAX_WAIT_MS)} s.`, 'docs/queue.svg'],
  [`Nobody waits longer than ${secondsOf(MAX_WAIT_MS)} seconds`, 'docs/failed-logins.md'],
  [`A call that takes longer than ${secondsOf(FORMAT_TIMEOUT_MS)} s gives`, 'src/passwords/format.ts'],
  [`share one read, for at most ${secondsOf(DEFAULT_STORE_TIMEOUT_MS)} s,`, 'src/store/cached-user-store.ts'],
  [`after ${secondsOf(DEFAULT_STORE_TIMEOUT_MS)} seconds at most, and never 401`, 'docs/operations.md'],
  [
    `decides on a login within ${secondsOf(slowestLogin)} seconds by default`,
    'client/src/client-options.ts',
    'client/README.md',
  ],
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
  [`logged in from there within ${days} days`, 'src/throttle/throttle-options.ts'],
  [`at most ${count(KNOWN_SOURCE_SECONDS)} (${days} days)`, 'src/throttle/throttle-options.ts'],
  [`longer than ${COUNTER_TIMEOUT_MS} ms`, 'src/throttle/throttle-options.ts', 'docs/recipes.md'],
  [`Each call gets ${COUNTER_TIMEOUT_MS} ms`, 'docs/operations.md'],
  [`over ${MAX_CHARACTERS} characters`, 'src/passwords/passwords.ts'],
  [`1 to ${MAX_CHARACTERS} code points`, 'src/login/login.ts'],
  [`two texts of 1 to ${MAX_CHARACTERS} characters`, 'docs/existing-app.md'],
  [
    `email of ${MAX_CHARACTERS} characters`,
    'src/testing/user-store-contract/cases/emails.ts',
    'docs/writing-a-store.md',
  ],
  [`column below \`varchar(${MAX_CHARACTERS})\``, 'docs/writing-a-store.md'],
  [`interface allows ${MAX_CHARACTERS} characters`, 'docs/writing-a-store.md'],
  [`A login takes ${passwords} characters`, 'SECURITY.md'],
  [`| \`email\` | string | ${emails} characters`, 'docs/interface.md'],
  [`| \`password\` | string | ${passwords} characters`, 'docs/interface.md'],
  [`\`email\` has ${emails} characters with an \`@\`, and its \`password\` has ${passwords}.`, 'docs/existing-app.md'],
  [`an email of ${emails} characters with an \`@\`, and a password of ${passwords}.`, 'docs/recipes.md'],
  [`the API email: ${emails} characters`, 'client/src/client-options.ts'],
  [`the API password: ${passwords} characters`, 'client/src/client-options.ts'],
  [
    `The login takes no more characters. */ const MAX_LENGTH = ${MAX_CHARACTERS};`,
    'example-app/src/operate/read-password.ts',
  ],
  [`an email of at least ${LOGIN_SCHEMA.properties.email.minLength} characters`, 'example-app/src/operate/commands.ts'],
  [
    `cannot be reached right now. Try again later.', retryAfterSeconds: ${entryOf(STORE_UNAVAILABLE).retryAfterSeconds?.()}`,
    'example-app/src/errors/api-error.ts',
  ],
  [`reads at most ${BODY_LIMIT_BYTES / 1_024} KiB,`, 'CONTRIBUTING.md'],
  [`${count(MAX_INSIDE)}, half of them from one source`, 'docs/login.svg', 'docs/queue.svg'],
  [`${count(MAX_INSIDE)} logins are inside`, 'CONTRIBUTING.md'],
  [`at most ${MAX_IDENTICAL} join, and ${count(MAX_UNKNOWN)} of all unknown sources`, 'docs/failed-logins.md'],
  [`left alone for ${words[secondsOf(PAUSE_MS)]} second,`, 'docs/operations.md'],
  [`may differ by at most ${CLOCK_SKEW_SECONDS} s`, 'src/store/user-store.ts'],
  [`of the database within ${CLOCK_SKEW_SECONDS} seconds`, 'SECURITY.md'],
  [`is more than ${CLOCK_SKEW_SECONDS} seconds before \`iat\``, 'SECURITY.md'],
  [`The clocks must agree within ${CLOCK_SKEW_SECONDS} seconds`, 'docs/operations.md'],
  [`cheat sheet; at most ${count(MAX_ARGON2_COST.memoryCost)}.`, 'src/passwords/new-hashes.ts'],
  [
    `for ${DEFAULT_ARGON2_COST.memoryCost / 1_024} MiB; at most ${MAX_ARGON2_COST.timeCost}.`,
    'src/passwords/new-hashes.ts',
  ],
  [`at the same time; at most ${MAX_ARGON2_COST.parallelism}.`, 'src/passwords/new-hashes.ts'],
  [`as in Laravel; at most ${MAX_BCRYPT_COST}.`, 'src/passwords/new-hashes.ts'],
  [`secret of HS256, at least ${HS256.minBytes} bytes`, 'src/tokens/tokens-options.ts'],
  [
    `At least ${HS256.minBytes}, ${HS384.minBytes} or ${HS512.minBytes} bytes for HS256, HS384 and HS512`,
    'src/tokens/keys.ts',
  ],
  [
    `fewer than ${HS256.minBytes} bytes, or with fewer than ${MIN_DISTINCT_BYTES} distinct bytes`,
    'docs/existing-app.md',
  ],
  [`text or bytes, ${MIN_KEY_BYTES} bytes or more`, 'src/login/login-options.ts'],
  [
    `Default \`${DEFAULT_REALM}\``,
    'src/errors/auth-error.ts',
    'src/openapi/open-api.ts',
    'src/tokens/tokens-options.ts',
  ],
  [`Default \`${issuerOf('<realm>')}\``, 'src/tokens/tokens-options.ts'],
  [`Default \`'${REFERENCE_MODES[0]}'\``, 'src/guard/require-bearer-options.ts'],
  [`Default \`'${NEW_HASHES_OPTIONS.algorithm('', undefined)}'\``, 'src/passwords/new-hashes.ts'],
  [`valid for ${lifetime} seconds`, 'src/login/login.ts', 'src/tokens/tokens.ts', 'docs/options.md'],
  [`hours, which are ${lifetime} seconds`, 'docs/interface.md'],
  [`at most ${lifetime} after \`iat\``, 'src/tokens/rules.ts'],
  [
    `\`Retry-After\` is at most ${numberAfter('LONGEST_WAIT_SECONDS = ', 'login.ts')} seconds`,
    'client/src/merchant-client.ts',
  ],
  [
    `is renewed ${minutesOf(numberAfter('RENEWAL_MARGIN_MS = ', 'session.ts'))} before its end`,
    'client/src/merchant-client.ts',
  ],
  [`This lasts ${refusedPause} after a 401 or a 403`, 'client/src/merchant-client.ts'],
  [`the same error without a request for ${refusedPause}.`, 'client/README.md'],
  [`at most ${longestPause}. \``, 'client/src/merchant-client.ts', 'client/README.md'],
  [`rejects or takes longer than ${cacheTimeout} counts`, 'client/src/token-cache.ts', 'client/README.md'],
  [`only takes an entry of the last ${newest}`, 'client/src/token-cache.ts', 'client/README.md'],
  [
    `(${MAX_ANSWER_BYTES / 1_048_576} MiB). A login always has ${longestLogin} MiB.`,
    'client/src/client-options.ts',
    'client/README.md',
  ],
  [`path below \`baseUrl\`. Default: \`${loginPath}\` (`, 'client/src/client-options.ts', 'client/README.md'],
  [`'more than ${longestLogin} MiB'`, 'client/src/login.ts'],
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

describe('The numbers and default texts in docstrings, on pages and in diagrams', () => {
  for (const [part, ...files] of FACTS) {
    it(`are those of the code: ${part}`, () => {
      for (const file of files) {
        const found = new Set(textOf(file).match(withAnyNumbers(part)));
        expect([...found], file).to.deep.equal([part]);
      }
    });
  }

  it('give a token the same hours everywhere', () => {
    const hours = words[TOKEN_LIFETIME_SECONDS / 3_600];
    const folders = ['src', 'client/src', 'audit/src', 'example-app/src', 'docs'].flatMap(filesIn);
    const pages = PAGES.filter((page) => page !== 'CHANGELOG.md');
    for (const file of [...pages, ...folders]) {
      const found = textOf(file).match(/\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten) hours\b/g) ?? [];
      for (const text of found)
        expect(text, file).to.be.oneOf([`${hours} hours`, `${TOKEN_LIFETIME_SECONDS / 3_600} hours`]);
    }
  });
});
