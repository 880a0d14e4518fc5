import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { createTokens, type KeyConfig, TOKEN_LIFETIME_SECONDS, type Tokens } from '../../src/index.js';
import { createTestTokens, type TestTokens } from '../../src/testing/index.js';
import { type Algorithm, algorithms } from '../../src/tokens/algorithms.js';
import { AWA } from '../helpers/accounts.js';
import { answerOf, EXPIRED_TOKEN, INVALID_TOKEN } from '../helpers/answers.js';
import { ecPair, otherRsaPair, pemOf, rsaPair } from '../helpers/keys.js';
import { expectAuthError, expectTypeError, thrownBy } from '../helpers/thrown.js';
import { readToken } from '../helpers/tokens.js';

const EXPIRED = [EXPIRED_TOKEN, answerOf(EXPIRED_TOKEN).expected.description] as const;
const invalid = (reason: string) => [INVALID_TOKEN, `The token is not valid: ${reason}.`] as const;

/** The code and the `detail` of the error that `verify` throws for each bad token. */
const REFUSALS = {
  expired: EXPIRED,
  notYet: invalid('it is not valid yet'),
  wrongKey: invalid('its signature is not valid'),
  wrongAlgorithm: invalid("its alg is not its key's algorithm"),
  tampered: invalid('its signature is not valid'),
  withoutExpiry: invalid('its exp is not a finite number'),
  otherRealm: invalid('its iss is not the issuer of these tokens'),
} satisfies Record<Exclude<keyof TestTokens, 'forAccount' | 'revoked' | 'foreign'>, readonly [string, string]>;

function keyFor(algorithm: Algorithm): KeyConfig {
  const kid = `of ${algorithm}`;
  const entry = algorithms[algorithm];
  if (entry.kind === 'secret') return { kid, algorithm, secret: randomBytes(64) } as KeyConfig;
  const pair = entry.kind === 'rsa' ? rsaPair() : ecPair[entry.namedCurve as keyof typeof ecPair]();
  return { kid, algorithm, ...pair } as KeyConfig;
}

function expectRefusals(tokens: Tokens): void {
  const make = createTestTokens(tokens);
  expect(tokens.verify(make.forAccount(AWA))).to.include({ sub: AWA.id, referencl: 'BTQ-1001' });
  for (const [name, [code, detail]] of Object.entries(REFUSALS)) {
    const token = make[name as keyof typeof REFUSALS](AWA);
    const thrown = thrownBy(() => tokens.verify(token));
    expect(expectAuthError(thrown, code).detail, name).to.equal(detail);
  }
}

describe('createTestTokens', () => {
  // One of each kind, and those of the longest and the shortest hash, of which a wrong algorithm is the other.
  for (const algorithm of ['HS256', 'HS512', 'RS256', 'PS256', 'ES256'] as const) {
    it(`makes a good token and bad ones that are refused for the reason in their name, with ${algorithm}`, () => {
      expectRefusals(createTokens({ keys: [keyFor(algorithm)] }));
    });
  }

  it('does so with a realm, an issuer, an audience and a clock', () => {
    const keys = [keyFor('ES256')];
    const clock = () => 1_000_000_000_500;
    expectRefusals(
      createTokens({ keys, realm: 'shops', issuer: 'https://shops.example', audience: 'payments', clock }),
    );
    expectRefusals(createTokens());
  });

  it('makes bad tokens that differ from good ones in one thing', () => {
    const tokens = createTokens({ clock: () => 1_800_000_000_000 });
    const make = createTestTokens(tokens);
    const good = readToken(make.forAccount(AWA));
    const changes = ['foreign', ...Object.keys(REFUSALS)].map((name) => {
      const { header, payload } = readToken(make[name as keyof TestTokens](AWA));
      const names = new Set([...Object.keys(good.payload), ...Object.keys(payload)]);
      const differing = [...names].filter((claim) => claim !== 'jti' && payload[claim] !== good.payload[claim]);
      return [name, header['alg'] === 'HS256' && header['kid'] === good.header['kid'], differing];
    });
    expect(changes).to.deep.equal([
      ['foreign', true, ['sub', 'referencl']],
      ['expired', true, ['iat', 'exp']],
      ['notYet', true, ['nbf']],
      ['wrongKey', true, []],
      ['wrongAlgorithm', false, []],
      ['tampered', true, ['referencl']],
      ['withoutExpiry', true, ['exp']],
      ['otherRealm', true, ['iss']],
    ]);
  });

  it('signs a token of a wrong algorithm with the key that a confused verifier uses as the secret', () => {
    const { publicKey, privateKey } = ecPair.prime256v1();
    const secret = randomBytes(64);
    for (const [key, taken] of [
      [{ kid: 'pair', algorithm: 'ES256', publicKey, privateKey }, pemOf(publicKey)],
      [{ kid: 'secret', algorithm: 'HS256', secret }, secret],
    ] as const) {
      const token = createTestTokens(createTokens({ keys: [key] })).wrongAlgorithm(AWA);
      const [header, payload, signature] = token.split('.');
      expect(readToken(token).header).to.include({ alg: 'HS512', kid: key.kid });
      expect(signature).to.equal(createHmac('sha512', taken).update(`${header}.${payload}`).digest('base64url'));
    }
  });

  it('makes tokens of the given account, including an expired one if the older tokens of the account are revoked', () => {
    const tokens = createTokens();
    const make = createTestTokens(tokens);
    const revoked = { ...AWA, id: '7', tokensValidAfter: new Date() };
    expect(readToken(make.expired(revoked)).payload).to.include({ sub: '7', referencl: 'BTQ-1001' });
    const thrown = thrownBy(() => tokens.verify(make.expired(revoked)));
    expectAuthError(thrown, EXPIRED_TOKEN);
  });

  it('signs with the current key ring', () => {
    const tokens = createTokens({ keys: [keyFor('HS256')] });
    const make = createTestTokens(tokens);
    tokens.replaceKeys([keyFor('ES256')]);
    expect(readToken(make.withoutExpiry(AWA)).header['alg']).to.equal('ES256');
    expectRefusals(tokens);
    const { publicKey } = otherRsaPair();
    tokens.replaceKeys([{ kid: 'public', algorithm: 'RS256', publicKey }]);
    for (const makeToken of Object.values(make) as ((account: typeof AWA) => string)[]) {
      expect(() => makeToken(AWA)).to.throw(
        TypeError,
        'the first key of these tokens cannot sign. Give its privateKey.',
      );
    }
  });

  it('refuses tokens that cannot sign, and objects that createTokens did not create', () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    const verifying = createTokens({ keys: [{ kid: 'public', algorithm: 'ES256', publicKey }] });
    expectTypeError(
      () => createTestTokens(verifying),
      'createTestTokens: the first key of these tokens cannot sign. Give its privateKey.',
    );
    for (const other of [undefined, null, 'secret', {}, Object.assign({}, createTokens())]) {
      expectTypeError(
        () => createTestTokens(other as Tokens),
        'createTestTokens: give what createTokens(...) returned.',
      );
    }
  });
});

const NOW = 1_800_000_000_000;

describe('createTestTokens(...).revoked', () => {
  it('makes a token that is good except for the tokensValidAfter of its account', () => {
    const tokens = createTokens({ clock: () => NOW });
    const { revoked } = createTestTokens(tokens);
    const second = NOW / 1000;
    for (const [age, iat] of [
      [0, second],
      [1, second - 1],
      [3_600_000, second - 3600],
      [TOKEN_LIFETIME_SECONDS * 1000 - 1000, second - TOKEN_LIFETIME_SECONDS + 1],
      [-60_000, second],
    ] as const) {
      const account = { ...AWA, tokensValidAfter: new Date(NOW - age) };
      const claims = tokens.verify(revoked(account));
      expect(claims, String(age)).to.include({ sub: AWA.id, referencl: 'BTQ-1001', iat, exp: iat + 18_000 });
      expect(claims).not.to.have.property('valid_after');
    }
  });

  it('throws for an account whose tokensValidAfter revokes no token', () => {
    const { revoked } = createTestTokens(createTokens({ clock: () => NOW }));
    for (const tokensValidAfter of [undefined, null, new Date(0), new Date(NOW - TOKEN_LIFETIME_SECONDS * 1000)]) {
      expectTypeError(
        () => revoked({ ...AWA, ...(tokensValidAfter !== undefined && { tokensValidAfter }) }),
        'createTestTokens: revoked needs an account whose tokensValidAfter is set and less than five hours old. ' +
          'Set it to now in the store, then read the account again.',
      );
    }
  });
});
