import { inspect } from 'node:util';
import { expect } from 'chai';
import { createMerchantClient } from '../src/index.js';
import { expectTypeError } from '../../test/helpers/thrown.js';
import { ACCOUNT, stubService } from './stub-service.js';

const create = (change: Readonly<Record<string, unknown>>) => createMerchantClient({ ...ACCOUNT, ...change });

const BASE_URL = 'baseUrl must be a string like https://api.example/v1, without white space, user, query and fragment';
const EMAIL = 'email must be the API email: 5 to 255 characters with an @';
const PASSWORD = 'password must be the API password: 6 to 255 characters';
const LINE_END = 'password ends in a line end, which a secret file or a .env file with CRLF adds. Remove it';
const TIMEOUT = 'timeoutMs must be a whole number of milliseconds from 1 to 2147483647';
const ANSWER = 'maxAnswerBytes must be a whole number of bytes from 1';
const CACHE = 'tokenCache must be an object with the methods get and set';

const MISTAKES: readonly (readonly [title: string, change: Readonly<Record<string, unknown>>, message: string])[] = [
  ['a missing base address', { baseUrl: undefined }, BASE_URL],
  ['a base address without a scheme', { baseUrl: 'api.example/v1' }, BASE_URL],
  ['a base address that is not HTTP', { baseUrl: 'file:///v1' }, BASE_URL],
  ['a base address with a user', { baseUrl: 'https://awa@api.example/v1' }, BASE_URL],
  ['a base address with a password', { baseUrl: 'https://:baobab-2026@api.example/v1' }, BASE_URL],
  ['a base address with a space', { baseUrl: 'https://api.example/v 1' }, BASE_URL],
  ['a base address with a line break', { baseUrl: 'https://api.exa\nmple/v1' }, BASE_URL],
  ['a base address with a query', { baseUrl: 'https://api.example/v1?version=1' }, BASE_URL],
  ['a base address with a fragment', { baseUrl: 'https://api.example/v1#' }, BASE_URL],
  ['a missing email', { email: undefined }, EMAIL],
  ['an email without an @', { email: 'awa.boutique.example' }, EMAIL],
  ['an email that is too short', { email: 'a@b.' }, EMAIL],
  ['an email that is too long', { email: `${'a'.repeat(255)}@` }, EMAIL],
  ['a password that the environment lacks', { password: undefined }, PASSWORD],
  ['a password that is too short', { password: 'bao12' }, PASSWORD],
  ['a password that is too short in code points', { password: '\u{1F333}\u{1F333}\u{1F333}' }, PASSWORD],
  ['a password that is too long', { password: 'b'.repeat(256) }, PASSWORD],
  ['a password of a secret file', { password: `${ACCOUNT.password}\n` }, LINE_END],
  ['a password of a .env file with CRLF', { password: `${ACCOUNT.password}\r` }, LINE_END],
  ['a password that a line end makes too long', { password: `${'b'.repeat(255)}\r\n` }, LINE_END],
  ['a password that is a line end', { password: '\n' }, LINE_END],
  ['an email that white space makes long enough', { email: ' a@b.' }, EMAIL],
  ['a login path without a slash', { loginPath: 'login' }, 'loginPath must be a path like /login'],
  ['a fetch that is not a function', { fetch: {} }, "fetch must be a function like the platform's fetch"],
  ['a timeout of zero', { timeoutMs: 0 }, TIMEOUT],
  ['a timeout that a timer cannot have', { timeoutMs: 2 ** 31 }, TIMEOUT],
  ['a limit of zero bytes', { maxAnswerBytes: 0 }, ANSWER],
  ['no limit', { maxAnswerBytes: Infinity }, ANSWER],
  ['a cache without set', { tokenCache: { get: () => undefined } }, CACHE],
  ['a cache that is not an object', { tokenCache: 'redis' }, CACHE],
  [
    'an unknown option',
    { timeout: 5 },
    'unknown option "timeout". Known options: baseUrl, email, password, loginPath, fetch, timeoutMs, maxAnswerBytes, tokenCache',
  ],
];

describe('The options of createMerchantClient', () => {
  for (const [title, change, message] of MISTAKES) {
    it(`refuse ${title}`, () => {
      expectTypeError(() => create(change), `createMerchantClient: ${message}.`, ACCOUNT.password);
    });
  }

  it('are required', () => {
    expectTypeError(() => createMerchantClient(undefined as never), `createMerchantClient: ${BASE_URL}.`);
  });

  it('can be at the limits of docs/interface.md 8', () => {
    create({ email: 'a@b.c', password: 'bao-26' });
    create({ email: `${'a'.repeat(254)}@`, password: 'b'.repeat(255) });
    create({ password: '\u{1F333}'.repeat(255), timeoutMs: 2 ** 31 - 1 });
  });

  it('accept a base address with slashes at its end and white space around it, and another path of the login', async () => {
    const service = stubService();
    const options = { baseUrl: ' https://api.example/v1// \r\n', loginPath: '/auth/login', fetch: service.fetch };
    await create(options).fetch('/transactions');
    expect(service.logins[0]?.input).to.equal('https://api.example/v1/auth/login');
    expect(service.calls[0]?.input).to.equal('https://api.example/v1/transactions');
  });

  it('accept an email with white space around it, and a password with white space that ends no line', async () => {
    const service = stubService();
    const password = ' baobab\n2026 ';
    for (const email of [`${ACCOUNT.email}\n`, `\uFEFF${ACCOUNT.email}\r\n`, ` ${'a'.repeat(254)}@ `]) {
      await create({ email, password, fetch: service.fetch }).login();
      expect(JSON.parse(service.logins.at(-1)?.init.body as string)).to.deep.equal({ email: email.trim(), password });
    }
  });

  it('are not members of the client, so that nobody can read the password there', () => {
    const client = create({});
    expect(Object.keys(client)).to.deep.equal(['fetch', 'json', 'login', 'invalidate', 'referencl']);
    expect(inspect(client, { depth: Infinity, showHidden: true })).not.to.contain(ACCOUNT.password);
  });

  it("may be undefined, and then use the platform's fetch of the moment at each call", async () => {
    const service = stubService();
    const client = create({ fetch: undefined, loginPath: undefined, timeoutMs: undefined, tokenCache: undefined });
    const original = globalThis.fetch;
    globalThis.fetch = service.fetch as typeof fetch;
    try {
      await client.login();
    } finally {
      globalThis.fetch = original;
    }
    expect(service.logins.map(({ input }) => input)).to.deep.equal(['https://api.example/v1/login']);
  });
});
