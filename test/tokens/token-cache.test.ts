import { mock } from 'node:test';
import { expect } from 'chai';
import jsonwebtoken from 'jsonwebtoken';
import { createTokens, type Tokens } from '../../src/tokens/tokens.js';
import type { TokensOptions } from '../../src/tokens/tokens-options.js';
import type { TokenClaims } from '../../src/tokens/rules.js';
import { TokenCache } from '../../src/tokens/token-cache.js';
import { AWA, withPassword } from '../helpers/accounts.js';
import { expectRevokedToken } from '../helpers/answers.js';
import { FRAMEWORK } from '../helpers/framework.js';
import { servePayments } from '../helpers/payments.js';
import { expectAuthError, thrownBy } from '../helpers/thrown.js';
import { craftToken, readToken } from '../helpers/tokens.js';

const SECRET = 'mangrove-mangrove-mangrove-32-by';
const NOW = Date.UTC(2026, 0, 15, 12);
const HOUR = 3_600_000;

/** Makes tokens of `SECRET` with a clock that a test can set. `signatures` counts the verified signatures. */
function countedTokens(options: TokensOptions = {}) {
  const verify = mock.method(jsonwebtoken, 'verify');
  const time = { now: NOW };
  const key = { kid: 'k1', algorithm: 'HS256', secret: SECRET } as const;
  const tokens = createTokens({ keys: [key], clock: () => time.now, ...options });
  return { tokens, time, key, signatures: () => verify.mock.callCount() };
}

/** Returns the detail with which a token is refused. */
function refusalOf(tokens: Tokens, token: string): string {
  return expectAuthError(
    thrownBy(() => tokens.verify(token)),
    'invalid_token',
  ).detail;
}

/** Makes a copy of `token` with changed claims, signed with the right key. */
function withClaims(token: string, change: object): string {
  const { header, payload } = readToken(token);
  return craftToken({ header, payload: { ...payload, ...change }, key: SECRET });
}

describe('the cache of verified tokens', () => {
  before('skip without the cache', function () {
    if (process.env['TEST_TOKEN_CACHE'] === 'off') this.skip();
  });

  afterEach('restore the real verification', () => {
    mock.restoreAll();
  });

  it('verifies a signature once, and returns the same frozen claims', () => {
    const { tokens, signatures } = countedTokens();
    const token = tokens.issue(AWA);
    const claims = tokens.verify(token);
    for (let again = 0; again < 100; again++) expect(tokens.verify(token)).to.equal(claims);
    expect(signatures()).to.equal(1);
    expect(Object.isFrozen(claims)).to.equal(true);
  });

  it('knows a token by its exact text', () => {
    const { tokens, signatures } = countedTokens();
    const token = tokens.issue(AWA);
    tokens.verify(token);
    const [header = '', payload = '', signature = ''] = token.split('.');
    const flipped = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1);
    for (const other of [
      `${header}.${payload}.${flipped}`,
      `${header}.${payload}.`,
      `${header}.${payload}`,
      `${token} `,
      ` ${token}`,
      `${token}=`,
      token.toUpperCase(),
      token.slice(0, -1),
    ]) {
      refusalOf(tokens, other);
    }
    const before = signatures();
    tokens.verify(token);
    expect(signatures()).to.equal(before);
  });

  it('refuses a cached token from the moment when it expires', () => {
    const { tokens, time } = countedTokens();
    const token = tokens.issue(AWA);
    tokens.verify(token);
    time.now = NOW + 5 * HOUR - 1;
    tokens.verify(token);
    time.now += 1;
    expectAuthError(
      thrownBy(() => tokens.verify(token)),
      'expired_token',
    );
  });

  it('refuses a cached token before its nbf and its iat, when the clock goes back', () => {
    const { tokens, time } = countedTokens();
    const iat = NOW / 1000;
    const later = withClaims(tokens.issue(AWA), { nbf: iat + 600 });
    time.now = NOW + 600_000;
    tokens.verify(later);
    time.now = NOW + 540_000 - 1;
    expect(refusalOf(tokens, later)).to.equal('The token is not valid: it is not valid yet.');

    const token = tokens.issue(AWA);
    tokens.verify(token);
    time.now -= 61_000;
    expect(refusalOf(tokens, token)).to.equal('The token is not valid: it is not valid yet.');
    time.now = NaN;
    expect(refusalOf(tokens, token)).to.equal('The token is not valid: it is not valid yet.');
  });

  it('is empty after replaceKeys: a token of a dropped key is refused, others are verified again', () => {
    const { tokens, key, signatures } = countedTokens();
    const token = tokens.issue(AWA);
    tokens.verify(token);
    const next = { kid: 'k2', algorithm: 'HS256', secret: 'baobab-baobab-baobab-baobab-32-b' } as const;
    tokens.replaceKeys([next, key]);
    tokens.verify(token);
    expect(signatures()).to.equal(2);
    tokens.replaceKeys([next]);
    expect(refusalOf(tokens, token)).to.equal(
      'The token is not valid: its kid names none of these keys, as when login and guard have different secrets.',
    );
    // The same kid with another secret.
    tokens.replaceKeys([{ ...key, secret: next.secret }]);
    expect(refusalOf(tokens, token)).to.equal('The token is not valid: its signature is not valid.');
  });

  it('never keeps a token with a bad signature or a bad claim', () => {
    const { tokens, signatures } = countedTokens();
    const token = tokens.issue(AWA);
    const forged = craftToken({ ...readToken(token), key: 'baobab-baobab-baobab-baobab-32-b' });
    const bad = [forged, withClaims(token, { iss: 'somebody else' }), withClaims(token, { referencl: '' })];
    for (const one of [...bad, ...bad]) refusalOf(tokens, one);
    expect(signatures()).to.equal(2 * bad.length);
  });

  it('keeps a token that only its times refuse, and refuses it each time', () => {
    const { tokens, time, signatures } = countedTokens();
    const token = tokens.issue(AWA);
    const longLived = withClaims(token, { exp: NOW / 1000 + 18_001 });
    const early = withClaims(token, { nbf: NOW / 1000 + 61 });
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(refusalOf(tokens, longLived)).to.equal('The token is not valid: its lifetime is too long.');
      expect(refusalOf(tokens, early)).to.equal('The token is not valid: it is not valid yet.');
    }
    time.now += 5 * HOUR;
    for (let attempt = 0; attempt < 2; attempt++) {
      expectAuthError(
        thrownBy(() => tokens.verify(token)),
        'expired_token',
      );
    }
    expect(signatures()).to.equal(3);
  });

  it('keeps tokenCacheSize tokens, and drops the least recently used one', () => {
    const { tokens, signatures } = countedTokens({ tokenCacheSize: 2 });
    const [first = '', second = '', third = ''] = [1, 2, 3].map(() => tokens.issue(AWA));
    for (const token of [first, second, first, third]) tokens.verify(token);
    expect(signatures()).to.equal(3);
    tokens.verify(first);
    tokens.verify(third);
    expect(signatures()).to.equal(3);
    tokens.verify(second);
    expect(signatures()).to.equal(4);
  });

  it('keeps 10,000 by default', () => {
    const { tokens, signatures } = countedTokens();
    const issued = Array.from({ length: 10_001 }, () => tokens.issue(AWA));
    for (const token of issued) tokens.verify(token);
    const before = signatures();
    for (const token of issued.slice(1)) tokens.verify(token);
    expect(signatures()).to.equal(before);
    tokens.verify(issued[0] ?? '');
    expect(signatures()).to.equal(before + 1);
  });

  it('holds 800 characters for each token on average, so it keeps fewer long tokens', () => {
    const cache = new TokenCache(10);
    const claims = {} as TokenClaims;
    const tokens = Array.from({ length: 10 }, (_, number) => String(number).repeat(1_600));
    for (const token of tokens) cache.add(token, claims);
    expect(tokens.map((token) => cache.get(token))).to.deep.equal([
      ...Array<undefined>(5).fill(undefined),
      ...Array<TokenClaims>(5).fill(claims),
    ]);
    cache.add('x'.repeat(8_001), claims);
    expect(cache.get('x'.repeat(8_001))).to.equal(undefined);
  });

  it('is off with tokenCacheSize: 0', () => {
    const { tokens, signatures } = countedTokens({ tokenCacheSize: 0 });
    const token = tokens.issue(AWA);
    for (let again = 0; again < 3; again++) tokens.verify(token);
    expect(signatures()).to.equal(3);
  });
});

describe('a guard with cached tokens', () => {
  it('reads the account on every request', async () => {
    const { store, client, awa: headers } = await servePayments(FRAMEWORK);
    const send = () => client.send('GET', '/v1/guarded', { headers });
    for (let again = 0; again < 3; again++) expect((await send()).status).to.equal(200);
    store.put(withPassword({ ...AWA, disabled: true }));
    expectRevokedToken(await send());
    store.put(withPassword({ ...AWA, tokensValidAfter: new Date(Date.now() + 30_000) }));
    expectRevokedToken(await send());
    store.put(withPassword(AWA));
    expect((await send()).status).to.equal(200);
    store.remove(AWA.id);
    expectRevokedToken(await send());
  });
});
