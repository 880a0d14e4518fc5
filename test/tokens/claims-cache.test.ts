import { mock } from 'node:test';
import { expect } from 'chai';
import jsonwebtoken from 'jsonwebtoken';
import { createTokens, type Tokens } from '../../src/tokens/tokens.js';
import type { TokensOptions } from '../../src/tokens/tokens-options.js';
import type { TokenClaims } from '../../src/tokens/rules.js';
import { ClaimsCache } from '../../src/tokens/claims-cache.js';
import { AWA } from '../helpers/accounts.js';
import { EXPIRED_TOKEN, INVALID_TOKEN } from '../helpers/answers.js';
import { expectEvents, recordEvents } from '../helpers/events.js';
import { OTHER_SECRET, SECRET } from '../helpers/keys.js';
import { expectAuthError, thrownBy } from '../helpers/thrown.js';
import { changedToken, craftToken, readToken } from '../helpers/tokens.js';

const NOW = Date.UTC(2026, 0, 15, 12);

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
    INVALID_TOKEN,
  ).detail;
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
    expect(tokens.verify(token)).to.equal(claims);
    expect(signatures()).to.equal(1);
    expect(Object.isFrozen(claims)).to.equal(true);
  });

  it('knows a token by its exact text', () => {
    const { tokens, signatures } = countedTokens();
    const token = tokens.issue(AWA);
    tokens.verify(token);
    for (const other of [token.slice(0, -1), `${token} `, `${token}=`, token.toUpperCase()]) refusalOf(tokens, other);
    const before = signatures();
    tokens.verify(token);
    expect(signatures()).to.equal(before);
  });

  it('keeps a token that only its times refuse, and refuses it each time', () => {
    const { tokens, time, signatures } = countedTokens();
    const token = changedToken(tokens.issue(AWA), SECRET, { payload: { nbf: NOW / 1000 } });
    const longLived = changedToken(token, SECRET, { payload: { exp: NOW / 1000 + 18_001 } });
    for (const attempt of [1, 2]) {
      time.now = NOW;
      tokens.verify(token);
      expect(refusalOf(tokens, longLived)).to.equal('The token is not valid: its lifetime is too long.');
      time.now = NOW - 60_001;
      expect(refusalOf(tokens, token)).to.equal('The token is not valid: it is not valid yet.');
      time.now = NOW + 18_000_000;
      const error = thrownBy(() => tokens.verify(token));
      expectAuthError(error, EXPIRED_TOKEN);
      expect(signatures(), `attempt ${attempt}`).to.equal(2);
    }
  });

  it('is emptied with an event that names the keys before and after, unless the new ones are rejected', () => {
    const { tokens, key, signatures } = countedTokens();
    const token = tokens.issue(AWA);
    tokens.verify(token);
    const next = { kid: 'k2', algorithm: 'HS256', secret: OTHER_SECRET } as const;
    const events = recordEvents();
    tokens.replaceKeys([next, key]);
    expect(() => tokens.replaceKeys([])).to.throw(TypeError);
    const place = { realm: tokens.realm, source: undefined };
    expectEvents(events, { type: 'keys_replaced', ...place, before: [key.kid], after: [next.kid, key.kid] });
    tokens.verify(token);
    expect(signatures()).to.equal(2);
  });

  it('never keeps a token with a bad signature or a bad claim', () => {
    const { tokens, signatures } = countedTokens();
    const token = tokens.issue(AWA);
    const forged = craftToken({ ...readToken(token), key: OTHER_SECRET });
    const bad = [
      forged,
      changedToken(token, SECRET, { payload: { iss: 'somebody else' } }),
      changedToken(token, SECRET, { payload: { referencl: '' } }),
    ];
    for (const one of [...bad, ...bad]) refusalOf(tokens, one);
    expect(signatures()).to.equal(2 * bad.length);
  });

  it('keeps tokenCacheSize tokens, 10,000 by default, and drops the least recently used one', () => {
    for (const [options, size] of [
      [{ tokenCacheSize: 2 }, 2],
      [{}, 10_000],
    ] as const) {
      const { tokens, signatures } = countedTokens(options);
      const [first = '', second = '', ...more] = Array.from({ length: size + 1 }, () => tokens.issue(AWA));
      for (const token of [first, second, ...more.slice(1), first, ...more.slice(0, 1)]) tokens.verify(token);
      const before = signatures();
      for (const token of [first, ...more]) tokens.verify(token);
      expect(signatures()).to.equal(before);
      tokens.verify(second);
      expect(signatures()).to.equal(before + 1);
      mock.restoreAll();
    }
  });

  it('holds 800 characters for each token on average, so it keeps fewer long tokens', () => {
    const cache = new ClaimsCache(10);
    const claims = {} as TokenClaims;
    const tokens = Array.from({ length: 10 }, (_, number) => String(number).repeat(1_600));
    for (const token of tokens) cache.set(token, claims);
    expect(tokens.filter((token) => cache.get(token) === claims)).to.deep.equal(tokens.slice(5));
    cache.set('x'.repeat(8_001), claims);
    expect(cache.get('x'.repeat(8_001))).to.equal(undefined);
  });

  it('is off with tokenCacheSize: 0', () => {
    const { tokens, signatures } = countedTokens({ tokenCacheSize: 0 });
    const token = tokens.issue(AWA);
    for (let again = 0; again < 3; again++) expect(Object.isFrozen(tokens.verify(token))).to.equal(true);
    expect(signatures()).to.equal(3);
  });
});
