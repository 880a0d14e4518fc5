import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import type { KeyConfig } from '../../src/tokens/keys.js';
import { createTokens, type Tokens } from '../../src/tokens/tokens.js';
import type { TokensOptions } from '../../src/tokens/tokens-options.js';
import { AWA, KOFI } from '../helpers/accounts.js';
import { EXPIRED_TOKEN } from '../helpers/answers.js';
import { ecPair, OTHER_SECRET, otherRsaPair, pemOf, rsaPair, SECRET } from '../helpers/keys.js';
import { expectAuthError, expectTypeError, thrownBy } from '../helpers/thrown.js';
import { changedToken, craftToken, expectInvalidToken, readToken, UNKNOWN_KID } from '../helpers/tokens.js';

const NOW = Date.UTC(2026, 0, 15, 12);

const BAD_SIGNATURE = 'its signature is not valid';

const rs256: KeyConfig = { kid: 'rs', algorithm: 'RS256', ...rsaPair() };
const es256: KeyConfig = { kid: 'es', algorithm: 'ES256', ...ecPair.prime256v1() };
const hs256 = { kid: 'hs', algorithm: 'HS256', secret: SECRET } as const;
const hs512 = { kid: 'hs512', algorithm: 'HS512', secret: SECRET + OTHER_SECRET } as const;

/** Makes tokens of `SECRET` with a clock that stands at `NOW`. */
function tokensOf(options: TokensOptions = {}): Tokens {
  return createTokens({ ...(options.keys === undefined && { secret: SECRET }), clock: () => NOW, ...options });
}

/** Asserts that each of these is refused for this reason. */
function expectRefused(tokens: Tokens, reason: string, ...presented: readonly string[]): void {
  for (const token of presented) expectInvalidToken(tokens.realm, () => tokens.verify(token), reason);
}

function expectAccepted(tokens: Tokens, token: string): void {
  expect(tokens.verify(token).sub).to.equal(AWA.id);
}

/** Returns the token of this header and payload, signed with the secret. */
function signed(input: string): string {
  return `${input}.${createHmac('sha256', SECRET).update(input).digest('base64url')}`;
}

function rawPart(token: string, index: 0 | 1): string {
  return Buffer.from(token.split('.')[index] ?? '', 'base64url').toString('utf8');
}

describe('Tokens.issue', () => {
  it('uses the clock of the process by default', () => {
    const before = Math.floor(Date.now() / 1000);
    const { iat } = createTokens({ secret: SECRET }).verify(createTokens({ secret: SECRET }).issue(AWA));
    expect(iat).to.be.within(before, Math.floor(Date.now() / 1000));
  });

  it('throws a TypeError while the clock gives no time', () => {
    const tokens = tokensOf({ clock: () => Number.NaN });
    expectTypeError(() => tokens.issue(AWA), 'createTokens: clock returned no time in milliseconds.');
  });

  it('throws a TypeError when the first key has no private half, even when another key has one', () => {
    const { publicKey } = ecPair.prime256v1();
    const tokens = tokensOf({ keys: [{ kid: 'k1', algorithm: 'ES256', publicKey }, hs256] });
    const message = 'createTokens: the first key of these tokens cannot sign. Give its privateKey.';
    expectTypeError(() => tokens.issue(AWA), message, SECRET);
  });

  it('writes alg, typ and kid, and the claims of the account without personal data', () => {
    const token = tokensOf().issue({ ...AWA, tokensValidAfter: null });
    const { header, payload } = readToken(token);
    const [iat, exp] = [NOW / 1000, NOW / 1000 + 18_000];
    expect(rawPart(token, 0)).to.equal(`{"alg":"HS256","typ":"at+jwt","kid":"${String(header['kid'])}"}`);
    expect(rawPart(token, 1)).to.equal(
      `{"iss":"express-merchant-auth/merchant","sub":"1","iat":${iat},"exp":${exp},"jti":"${String(payload['jti'])}",` +
        '"referencl":"BTQ-1001"}',
    );
    expect(rawPart(tokensOf({ keys: [es256] }).issue(AWA), 0)).to.equal('{"alg":"ES256","typ":"at+jwt","kid":"es"}');
  });

  it('writes the configured issuer and audience, or the realm as the issuer', () => {
    const { payload } = readToken(tokensOf({ issuer: 'https://pay.example', audience: 'payments' }).issue(AWA));
    expect(Object.keys(payload)).to.deep.equal(['iss', 'aud', 'sub', 'iat', 'exp', 'jti', 'referencl']);
    expect(payload).to.include({ iss: 'https://pay.example', aud: 'payments' });
    const { iss } = readToken(tokensOf({ realm: 'back office' }).issue(AWA)).payload;
    expect(iss).to.equal('express-merchant-auth/back office');
  });

  it('makes tokens that are valid for 18,000 seconds from a whole second on, even from the epoch on', () => {
    for (const [now, iat] of [
      [NOW, NOW / 1000],
      [NOW + 999, NOW / 1000],
      [0, 0],
    ] as const) {
      const tokens = tokensOf({ clock: () => now });
      expect(tokens.verify(tokens.issue(AWA))).to.include({ iat, exp: iat + 18_000 });
    }
  });

  it('gives each token a different id', () => {
    const tokens = tokensOf();
    const ids = [1, 2, 3].map(() => readToken(tokens.issue(AWA)).payload['jti'] as string);
    expect(new Set(ids).size).to.equal(3);
    for (const id of ids) expect(id).to.match(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });

  it('throws for a value that is not an account, and says which member is wrong', () => {
    const problem = 'an account whose tokensValidAfter is not a valid Date, null or absent';
    const account = { ...AWA, tokensValidAfter: new Date(NaN) };
    expectTypeError(() => tokensOf().issue(account), `tokens.issue was given ${problem}.`);
  });

  it('writes tokensValidAfter as the last claim in milliseconds, and still issues the token from now', () => {
    for (const instant of [0, NOW - 1_234, NOW, NOW + 3_600_000]) {
      const { payload } = readToken(tokensOf().issue({ ...AWA, tokensValidAfter: new Date(instant) }));
      expect(Object.keys(payload).join(' ')).to.equal('iss sub iat exp jti referencl valid_after');
      expect(payload).to.include({ iat: NOW / 1000, exp: NOW / 1000 + 18_000, valid_after: instant });
    }
  });
});

describe('Tokens.verify', () => {
  it('returns the claims of a token that it issued, even beyond ASCII', () => {
    const tokens = tokensOf({ audience: 'payments' });
    const token = tokens.issue({ ...AWA, marchand: { ...AWA.marchand, referencl: 'Boutique Ébène 😀' } });
    expect(tokens.verify(token)).to.deep.equal(readToken(token).payload);
  });

  it('returns claims that nobody can change', () => {
    const tokens = tokensOf();
    const payload = { roles: ['clerk'], limits: { daily: [{ amount: 5 }] } };
    const claims = tokens.verify(changedToken(tokens.issue(AWA), SECRET, { payload }));
    const { roles, limits } = claims as unknown as typeof payload;
    for (const change of [
      () => Object.assign(claims, { referencl: 'CNT-1002' }),
      () => roles.push('owner'),
      () => Object.assign(limits, { daily: [] }),
      () => Object.assign(limits.daily[0] ?? {}, { amount: 6 }),
      () => Object.setPrototypeOf(claims, {}) as object,
    ]) {
      expect(thrownBy(change)).to.be.instanceOf(TypeError);
    }
  });

  it('applies the rules on headers, encodings, claims and times, and names the realm in each challenge', () => {
    const tokens = tokensOf({ realm: 'shop' });
    const token = tokens.issue(AWA);
    const latin = changedToken(token, SECRET, { payload: { name: 'Koné' } });
    const [head = '', body = ''] = latin.split('.');
    const bytes = Buffer.from(Buffer.from(body, 'base64url').toString('utf8'), 'latin1').toString('base64url');
    expectRefused(tokens, 'it is not a compact JWS', `${token} `, '', undefined as never);
    expectRefused(tokens, 'its typ is not at+jwt', changedToken(token, SECRET, { header: { typ: 'JWT' } }));
    expectRefused(tokens, 'it is not UTF-8', signed(`${head}.${bytes}`));
    expectRefused(
      tokens,
      'its payload is not an object',
      craftToken({ ...readToken(token), payload: '[]', key: SECRET }),
    );
    expectRefused(tokens, 'its sub is not a non-empty string', changedToken(token, SECRET, { payload: { sub: 1 } }));
    expectRefused(tokensOf({ realm: 'shop', clock: () => NOW - 60_001 }), 'it is not valid yet', token);
    const { headers } = expectAuthError(
      thrownBy(() => tokensOf({ realm: 'shop', clock: () => NOW + 18_000_000 }).verify(token)),
      EXPIRED_TOKEN,
    );
    expect(headers).to.have.property('WWW-Authenticate').that.contains('realm="shop"');
  });

  it('says that a token with a wrong claim is not valid, even when it has expired', () => {
    const token = changedToken(tokensOf().issue(AWA), SECRET, { payload: { iss: 'another' } });
    const later = tokensOf({ clock: () => NOW + 18_000_000 });
    expectRefused(later, 'its iss is not the issuer of these tokens', token);
  });

  it('refuses the signature of another key or another token, and keeps the cause without a stack', () => {
    const tokens = tokensOf();
    const token = tokens.issue(AWA);
    const forged = craftToken({ ...readToken(token), key: OTHER_SECRET });
    const others = [tokens.issue(KOFI), forged].map((other) => other.split('.')[2] ?? '');
    expectRefused(tokens, BAD_SIGNATURE, ...others.map((signature) => token.replace(/[^.]+$/, signature)));
    const { cause } = thrownBy(() => tokens.verify(forged)) as { cause: unknown };
    expect(cause).to.be.instanceOf(Error).with.property('stack', 'JsonWebTokenError: invalid signature');
  });

  it('ignores other members of the header, including those that name keys', () => {
    const tokens = tokensOf({ keys: [rs256] });
    const jwk = otherRsaPair().publicKey.export({ format: 'jwk' });
    const links = {
      jwk,
      jku: 'https://keys.example',
      x5u: 'https://keys.example',
      x5c: [pemOf(otherRsaPair().publicKey)],
    };
    const { header, payload } = readToken(tokens.issue(AWA));
    const [own, other] = [rsaPair(), otherRsaPair()].map(({ privateKey }) =>
      craftToken({ header: { ...header, ...links }, payload, key: privateKey }),
    );
    expectAccepted(tokens, own ?? '');
    expectRefused(tokens, BAD_SIGNATURE, other ?? '');
  });
});

describe('a ring of keys', () => {
  const signsWith = (tokens: Tokens) => readToken(tokens.issue(AWA)).header['kid'];

  it('signs with the first key and verifies with all', () => {
    const tokens = tokensOf({ keys: [es256, hs256, hs512] });
    expect(signsWith(tokens)).to.equal('es');
    for (const key of [es256, hs256, hs512]) expectAccepted(tokens, tokensOf({ keys: [key] }).issue(AWA));
  });

  it('signs and verifies with the new keys right after replaceKeys, and refuses dropped ones', () => {
    for (const options of [{ keys: [hs256] }, {}]) {
      const tokens = tokensOf(options);
      const before = tokens.issue(AWA);
      if (options.keys !== undefined) {
        tokens.replaceKeys([es256, hs256]);
        expect(signsWith(tokens)).to.equal('es');
        expectAccepted(tokens, before);
      }
      tokens.replaceKeys([es256]);
      expectRefused(tokens, UNKNOWN_KID, before);
      expectAccepted(tokens, tokens.issue(AWA));
    }
  });

  it('has a signing key as long as its first key has a private half', () => {
    const tokens = tokensOf({ keys: [es256] });
    const signingKey = () => tokens.requireSigningKey('createLogin');
    expect(signingKey().kid).to.equal('es');
    tokens.replaceKeys([{ kid: 'es', algorithm: 'ES256', publicKey: ecPair.prime256v1().publicKey }, hs256]);
    expectTypeError(signingKey, 'createLogin: the first key of these tokens cannot sign. Give its privateKey.', SECRET);
    expectAccepted(tokens, tokensOf({ keys: [es256] }).issue(AWA));
    tokens.replaceKeys([hs256]);
    expect(signingKey().kid).to.equal('hs');
  });

  it('stays as it is when the new keys are wrong', () => {
    const tokens = tokensOf({ keys: [hs256] });
    const before = tokens.issue(AWA);
    for (const keys of [[], null, undefined, [es256, { ...hs256, secret: 'short' }], [es256, es256]]) {
      expect(() => tokens.replaceKeys(keys as KeyConfig[])).to.throw(TypeError, /^createTokens: /);
      expectAccepted(tokens, before);
      expect(signsWith(tokens)).to.equal('hs');
    }
  });
});
