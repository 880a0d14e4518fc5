import { createHmac } from 'node:crypto';
import vm from 'node:vm';
import { expect } from 'chai';
import type { KeyConfig } from '../../src/tokens/keys.js';
import { createTokens, Tokens } from '../../src/tokens/tokens.js';
import type { TokensOptions } from '../../src/tokens/tokens-options.js';
import { AWA, KOFI } from '../helpers/accounts.js';
import { ecPair, otherRsaPair, pemOf, rsaPair } from '../helpers/keys.js';
import { expectAuthError, expectTypeError, thrownBy } from '../helpers/thrown.js';
import { craftToken, readToken } from '../helpers/tokens.js';

const SECRET = 'mangrove-mangrove-mangrove-32-by';
const OTHER_SECRET = 'baobab-baobab-baobab-baobab-32-b';
const NOW = Date.UTC(2026, 0, 15, 12);

/** Makes tokens of `SECRET` with a clock that stands at `NOW`. */
function tokensOf(options: TokensOptions = {}): Tokens {
  return createTokens({ ...(options.keys === undefined && { secret: SECRET }), clock: () => NOW, ...options });
}

/** Asserts that each of these is refused as `invalid_token`. */
function expectRefused(tokens: Tokens, ...presented: readonly unknown[]): void {
  const challenge = `Bearer realm="${tokens.realm}", error="invalid_token", error_description="The token is not valid. Log in again."`;
  for (const token of presented) {
    const error = expectAuthError(
      thrownBy(() => tokens.verify(token as string)),
      'invalid_token',
    );
    expect(error.status).to.equal(401);
    expect(error.headers).to.deep.equal({ 'WWW-Authenticate': challenge });
    expect(JSON.stringify(error)).to.equal(
      '{"status":"Error","success":false,"code":401,"error":"invalid_token","message":"Token not valid",' +
        '"description":"The token is not valid. Log in again."}',
    );
  }
}

/** Makes a copy of `token` with a changed header, signed with `key`. */
function withHeader(token: string, change: object, key: string = SECRET, algorithm = 'HS256'): string {
  const { header, payload } = readToken(token);
  return craftToken({ header: { ...header, ...change }, payload, key, algorithm });
}

function rawPart(token: string, index: 0 | 1): string {
  return Buffer.from(token.split('.')[index] ?? '', 'base64url').toString('utf8');
}

describe('createTokens', () => {
  it('does not change the stacks of other errors, whether a signature is valid or not', () => {
    const tokens = tokensOf();
    const { stackTraceLimit } = Error;
    const token = tokens.issue(AWA);
    tokens.verify(token);
    expectRefused(tokens, craftToken({ ...readToken(token), key: OTHER_SECRET }));
    expect(Error.stackTraceLimit).to.equal(stackTraceLimit).and.to.be.above(0);
  });

  it('returns an instance of Tokens, on which a host can replace a method', () => {
    const tokens = tokensOf();
    expect(tokens).to.be.instanceOf(Tokens);
    expect(tokens.realm).to.equal('merchant');
    const claims = tokens.verify(tokens.issue(KOFI));
    tokens.verify = () => claims;
    expect(tokens.verify('any text').sub).to.equal(KOFI.id);
  });

  it('uses the clock of the process by default', () => {
    const before = Math.floor(Date.now() / 1000);
    const { iat } = createTokens({ secret: SECRET }).verify(createTokens({ secret: SECRET }).issue(AWA));
    expect(iat).to.be.within(before, Math.floor(Date.now() / 1000));
  });
});

describe('a signed token in another encoding', () => {
  /** Makes a token whose first two parts are changed and signed again with the secret. */
  function recoded(change: (part: Buffer, index: number) => string): string {
    const parts = tokensOf().issue(AWA).split('.').slice(0, 2);
    const input = parts.map((part, index) => change(Buffer.from(part, 'base64url'), index)).join('.');
    return `${input}.${createHmac('sha256', SECRET).update(input).digest('base64url')}`;
  }

  it('is refused when header or payload is not UTF-8', () => {
    const asIs = recoded((part) => part.toString('base64url'));
    expect(tokensOf().verify(asIs).sub).to.equal(AWA.id);
    for (const bad of [0, 1]) {
      const token = recoded((part, index) => {
        if (index !== bad) return part.toString('base64url');
        const end = part.lastIndexOf('"');
        return Buffer.concat([part.subarray(0, end), Buffer.from([0xff]), part.subarray(end)]).toString('base64url');
      });
      expectAuthError(
        thrownBy(() => tokensOf().verify(token)),
        'invalid_token',
      );
    }
  });

  /** Adds spaces to JSON until its length leaves this remainder when it is divided by three. */
  function padded(json: Buffer, left: number): string {
    const spaces = (((left - json.length) % 3) + 3) % 3;
    return Buffer.concat([json.subarray(0, -1), Buffer.from(`${' '.repeat(spaces)}}`)]).toString('base64url');
  }

  const encodings: Readonly<Record<string, readonly [left: number, change: (text: string) => string]>> = {
    'four spare bits are set': [1, withLastRaised],
    'two spare bits are set': [2, withLastRaised],
    'a character is left over': [0, (text) => `${text}A`],
  };
  for (const [what, [left, change]] of Object.entries(encodings)) {
    it(`is refused when in its header or payload ${what}`, () => {
      const bytesOf = (text: string) => Buffer.from(text, 'base64url').toString('hex');
      for (const bad of [0, 1]) {
        const withEncoding = (encode: (text: string) => string) =>
          recoded((part, index) => {
            if (index !== bad) return part.toString('base64url');
            const text = padded(part, left);
            expect(bytesOf(encode(text))).to.equal(bytesOf(text));
            return encode(text);
          });
        expect(tokensOf().verify(withEncoding((text) => text)).sub).to.equal(AWA.id);
        expectAuthError(
          thrownBy(() => tokensOf().verify(withEncoding(change))),
          'invalid_token',
        );
      }
    });
  }
});

/** Replaces the last character by the next one. */
function withLastRaised(text: string): string {
  return text.slice(0, -1) + String.fromCharCode(text.charCodeAt(text.length - 1) + 1);
}

describe('Tokens.issue', () => {
  it('throws a TypeError while the clock gives no time', () => {
    const tokens = createTokens({ clock: () => Number.NaN });
    expect(() => tokens.issue(AWA)).to.throw(TypeError, 'createTokens: clock returned no time in milliseconds.');
  });

  it('writes the header: alg, typ, kid', () => {
    const secretToken = tokensOf().issue(AWA);
    const { kid } = readToken(secretToken).header;
    expect(kid).to.match(/^[\w-]{16}$/);
    expect(rawPart(secretToken, 0)).to.equal(`{"alg":"HS256","typ":"at+jwt","kid":"${String(kid)}"}`);

    const keyToken = tokensOf({ keys: [{ kid: '2026-01', algorithm: 'ES256', ...ecPair.prime256v1() }] }).issue(AWA);
    expect(rawPart(keyToken, 0)).to.equal('{"alg":"ES256","typ":"at+jwt","kid":"2026-01"}');
  });

  it('writes the claims iss, sub, iat, exp, jti and referencl, and no personal data', () => {
    const token = tokensOf().issue({ ...AWA, tokensValidAfter: null });
    const { jti } = readToken(token).payload;
    const [iat, exp] = [NOW / 1000, NOW / 1000 + 18_000];
    expect(rawPart(token, 1)).to.equal(
      `{"iss":"express-merchant-auth/merchant","sub":"1","iat":${iat},"exp":${exp},"jti":"${String(jti)}",` +
        '"referencl":"BTQ-1001"}',
    );
  });

  it('writes aud after iss when an audience is configured', () => {
    const { payload } = readToken(tokensOf({ issuer: 'https://pay.example', audience: 'payments' }).issue(AWA));
    expect(Object.keys(payload)).to.deep.equal(['iss', 'aud', 'sub', 'iat', 'exp', 'jti', 'referencl']);
    expect(payload).to.include({ iss: 'https://pay.example', aud: 'payments' });
  });

  it('names the realm in iss', () => {
    const { payload } = readToken(tokensOf({ realm: 'back office' }).issue(AWA));
    expect(payload['iss']).to.equal('express-merchant-auth/back office');
  });

  it('makes tokens that are valid for 18,000 seconds from a whole second on', () => {
    for (const milliseconds of [0, 1, 499, 999]) {
      const { iat, exp } = readToken(tokensOf({ clock: () => NOW + milliseconds }).issue(AWA)).payload;
      expect(iat).to.equal(NOW / 1000);
      expect((exp as number) - (iat as number)).to.equal(18_000);
    }
  });

  it('works with a clock that starts at the epoch, as fake timers do', () => {
    const tokens = tokensOf({ clock: () => 0 });
    expect(readToken(tokens.issue(AWA)).payload).to.include({ iat: 0, exp: 18_000 });
    expect(tokens.verify(tokens.issue(AWA)).sub).to.equal(AWA.id);
  });

  it('gives each token a different id (ASVS 7.2.2)', () => {
    const tokens = tokensOf();
    const ids = [1, 2, 3].map(() => readToken(tokens.issue(AWA)).payload['jti'] as string);
    expect(new Set(ids).size).to.equal(3);
    for (const id of ids) expect(id).to.match(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });

  it('throws a TypeError when the first key has no private half, also when another key has one', () => {
    const tokens = tokensOf({
      keys: [
        { kid: 'k1', algorithm: 'ES256', publicKey: ecPair.prime256v1().publicKey },
        { kid: 'k2', algorithm: 'HS256', secret: SECRET },
      ],
    });
    expect(tokens.signingKey).to.equal(undefined);
    expectTypeError(() => tokens.issue(AWA), 'createTokens: the first key cannot sign. Give its privateKey.', SECRET);
  });

  describe('for an account with tokensValidAfter', () => {
    /** Issues a token, and returns its payload. */
    function payloadOf(tokensValidAfter: Date | null | undefined, tokens = tokensOf()) {
      const account = { ...AWA, ...(tokensValidAfter !== undefined && { tokensValidAfter }) };
      return readToken(tokens.issue(account)).payload;
    }

    it('writes valid_after as the last claim, in milliseconds', () => {
      const payload = payloadOf(new Date(NOW - 1_234));
      expect(Object.keys(payload)).to.deep.equal(['iss', 'sub', 'iat', 'exp', 'jti', 'referencl', 'valid_after']);
      expect(payload['valid_after']).to.equal(NOW - 1_234);
      expect(payloadOf(new Date(0))['valid_after']).to.equal(0);
    });

    it('leaves valid_after out when there is none', () => {
      for (const instant of [undefined, null]) expect(payloadOf(instant)).not.to.have.property('valid_after');
    });

    it('issues tokens from now, also when that instant is in the future', () => {
      for (const ahead of [-3_600_000, 0, 1, 1_000, 50_000, 3_600_000]) {
        const payload = payloadOf(new Date(NOW + ahead));
        expect(payload).to.include({ iat: NOW / 1000, exp: NOW / 1000 + 18_000, valid_after: NOW + ahead });
      }
    });

    it('accepts a Date of another JavaScript realm', () => {
      const instant = vm.runInNewContext(`new Date(${NOW + 30_000})`) as Date;
      expect(payloadOf(instant)['valid_after']).to.equal(NOW + 30_000);
    });

    it('throws malformed_account for a Date that is not valid', () => {
      const error = expectAuthError(
        thrownBy(() => payloadOf(new Date(NaN))),
        'malformed_account',
      );
      const detail = 'The tokensValidAfter of the account is not a valid Date.';
      expect(error.status).to.equal(500);
      expect(error.detail).to.equal(detail);
      expect(error.cause).to.be.instanceOf(TypeError).with.property('message', detail);
    });
  });
});

describe('Tokens.verify', () => {
  it('returns the claims of a token that it issued', () => {
    const tokens = tokensOf({ audience: 'payments' });
    const token = tokens.issue(AWA);
    expect(tokens.verify(token)).to.deep.equal(readToken(token).payload);
  });

  it('returns claims that nobody can change', () => {
    const tokens = tokensOf();
    const { header, payload } = readToken(tokens.issue(AWA));
    const further = { roles: ['clerk'], limits: { daily: [{ amount: 5 }] } };
    const claims = tokens.verify(craftToken({ header, payload: { ...payload, ...further }, key: SECRET }));
    const { roles, limits } = claims as unknown as typeof further;
    const changes = [
      () => Object.assign(claims, { referencl: 'CNT-1002' }),
      () => Object.assign(claims, { admin: true }),
      () => roles.push('owner'),
      () => Object.assign(limits, { daily: [] }),
      () => limits.daily.pop(),
      () => Object.assign(limits.daily[0] ?? {}, { amount: 6 }),
      () => Object.setPrototypeOf(claims, {}) as object,
    ];
    for (const change of changes) expect(thrownBy(change)).to.be.instanceOf(TypeError);
    expect(() => {
      delete (claims as { sub?: string }).sub;
    }).to.throw(TypeError);
    expect(claims).to.deep.equal({ ...payload, ...further });
  });

  it('refuses a value that is not a string', () => {
    const tokens = tokensOf();
    const token = tokens.issue(AWA);
    const lookalike = { toString: () => token };
    expectRefused(tokens, undefined, null, 5, {}, [token], lookalike, Object(token), Buffer.from(token), () => token);
  });

  it('refuses text that is not a compact JWS', () => {
    const tokens = tokensOf();
    expectRefused(tokens, '', '.', '..', 'a.b', 'a.b.c', 'a.b.c.d.e', '....', 'Bearer', 'e30.e30.e30', '\0');
    const [header, payload, signature] = tokens.issue(AWA).split('.') as [string, string, string];
    expectRefused(tokens, header, `${header}.${payload}`, `${header}.${payload}.`, `.${payload}.${signature}`);
    for (const token of ['Bearer', `${header}.${payload}`, `${header}.${payload}.${signature}.e30`]) {
      expect(thrownBy(() => tokens.verify(token))).to.have.property(
        'detail',
        'The token is not valid: it is not a compact JWS.',
      );
    }
    expectRefused(tokens, `${header}..${signature}`, `${header}.${signature}`, `${payload}.${header}.${signature}`);
  });

  it('refuses a good token with anything around it', () => {
    for (const tokens of [tokensOf(), tokensOf({ keys: [{ kid: 'k1', algorithm: 'RS256', ...rsaPair() }] })]) {
      const token = tokens.issue(AWA);
      expect(tokens.verify(token).sub).to.equal(AWA.id);
      for (const junk of ['.', '.x', '=', '==', ' ', '\n', '\r\n', '\t', '\0', '"', ',', ';', '%20', 'é', '.e30']) {
        expectRefused(tokens, token + junk, junk + token);
      }
      expectRefused(
        tokens,
        `Bearer ${token}`,
        `${token}, ${token}`,
        token.replace('.', '. '),
        token.replace('.', '.\n'),
      );
    }
  });

  it('refuses base64 instead of base64url', () => {
    const tokens = tokensOf();
    const { header, payload } = readToken(tokens.issue(AWA));
    const token = craftToken({ header, payload: { ...payload, note: '???>>>???>>>~~~' }, key: SECRET });
    expect(tokens.verify(token)['note']).to.equal('???>>>???>>>~~~');
    expect(token).to.match(/[-_]/);
    expectRefused(tokens, token.replaceAll('-', '+').replaceAll('_', '/'));
  });

  it('refuses a token of which a letter was changed (ASVS 9.1.1)', () => {
    const tokens = tokensOf();
    const token = tokens.issue(AWA);
    for (let index = 0; index < token.length; index += 7) {
      if (token[index] === '.') continue;
      const letter = token[index] === 'A' ? 'B' : 'A';
      expectRefused(tokens, token.slice(0, index) + letter + token.slice(index + 1));
    }
  });

  it('refuses the signature of another key or another token', () => {
    const tokens = tokensOf();
    const token = tokens.issue(AWA);
    const { header, payload } = readToken(token);
    expectRefused(tokens, craftToken({ header, payload, key: OTHER_SECRET }));
    const [head, body] = token.split('.');
    const [, otherBody, otherSignature] = tokens.issue(KOFI).split('.');
    expectRefused(tokens, `${head}.${body}.${otherSignature}`, `${head}.${otherBody}.${token.split('.')[2]}`);

    const keys: KeyConfig[] = [{ kid: 'k1', algorithm: 'RS256', ...rsaPair() }];
    const rsaHeader = { alg: 'RS256', typ: 'at+jwt', kid: 'k1' };
    const good = craftToken({ header: rsaHeader, payload, key: rsaPair().privateKey });
    const forged = craftToken({ header: rsaHeader, payload, key: otherRsaPair().privateKey });
    expect(tokensOf({ keys }).verify(good).sub).to.equal(AWA.id);
    expectRefused(tokensOf({ keys }), forged);
  });

  it('keeps the error about the signature as the cause, without a stack', () => {
    const { header, payload } = readToken(tokensOf().issue(AWA));
    const forged = craftToken({ header, payload, key: OTHER_SECRET });
    const error = expectAuthError(
      thrownBy(() => tokensOf().verify(forged)),
      'invalid_token',
    );
    expect(error.detail).to.equal('The token is not valid: its signature is not valid.');
    expect(error.cause).to.be.instanceOf(Error).with.property('message', 'invalid signature');
    expect(error.cause).to.have.property('stack', 'JsonWebTokenError: invalid signature');
  });

  it('refuses another encoding of the same signature', () => {
    const tokens = tokensOf({ keys: [{ kid: 'k1', algorithm: 'RS256', ...rsaPair() }] });
    const token = tokens.issue(AWA);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = alphabet.indexOf(token.slice(-1));
    // 256 bytes fill 341 characters and two bits of the last one, whose other four bits decoders ignore.
    expect(last % 16).to.equal(0);
    for (const spare of [1, 8, 15]) {
      const recoded = token.slice(0, -1) + (alphabet[last + spare] ?? '');
      const [signature, other] = [token, recoded].map((text) => Buffer.from(text.split('.')[2] ?? '', 'base64url'));
      expect(other).to.deep.equal(signature);
      expectRefused(tokens, recoded);
    }
  });

  it('refuses a header that is not a JSON object', () => {
    const tokens = tokensOf();
    const { header, payload } = readToken(tokens.issue(AWA));
    const bodies = ['null', '5', '"HS256"', '[]', 'true', '', '{', `[${JSON.stringify(header)}]`, 'text', '{}'];
    for (const body of bodies) {
      expectRefused(tokens, craftToken({ header: body, payload, key: SECRET, algorithm: 'HS256' }));
    }
  });

  it('accepts the typ at+jwt in any case, with and without application/', () => {
    const tokens = tokensOf();
    const token = tokens.issue(AWA);
    for (const typ of ['at+jwt', 'AT+JWT', 'At+Jwt', 'application/at+jwt', 'Application/AT+JWT']) {
      expect(tokens.verify(withHeader(token, { typ })).sub, typ).to.equal(AWA.id);
    }
    const types = [undefined, null, '', 'JWT', 'jwt', 'application/jwt', 'at-jwt', 'at+jwt ', ' at+jwt', 'x/at+jwt'];
    for (const typ of [...types, 'at+jwt\n', 'at+jwtx', 'application/', '/at+jwt', ['at+jwt'], 5, {}]) {
      expectRefused(tokens, withHeader(token, { typ }));
    }
  });

  it('refuses crit with any value', () => {
    const tokens = tokensOf();
    const token = tokens.issue(AWA);
    for (const crit of [['exp'], ['b64'], [], '', null, false]) expectRefused(tokens, withHeader(token, { crit }));
    expectRefused(tokens, withHeader(token, { crit: ['b64'], b64: false }));
  });

  it('ignores other members of the header, also those that name keys (ASVS 9.1.3)', () => {
    const tokens = tokensOf({ keys: [{ kid: 'k1', algorithm: 'RS256', ...rsaPair() }] });
    const jwk = otherRsaPair().publicKey.export({ format: 'jwk' });
    const header = { alg: 'RS256', typ: 'at+jwt', kid: 'k1', jwk, jku: 'https://keys.example', x5c: ['MII'] };
    const { payload } = readToken(tokens.issue(AWA));
    expect(tokens.verify(craftToken({ header, payload, key: rsaPair().privateKey })).sub).to.equal(AWA.id);
    expectRefused(tokens, craftToken({ header, payload, key: otherRsaPair().privateKey }));
  });

  it('requires the kid of a key of the ring', () => {
    const tokens = tokensOf();
    const token = tokens.issue(AWA);
    const { kid } = readToken(token).header;
    const kids = [undefined, null, '', 'another', 0, [kid], { kid }, String(kid).toLowerCase(), `${String(kid)} `];
    for (const other of kids) expectRefused(tokens, withHeader(token, { kid: other }));
    for (const other of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'size']) {
      expectRefused(tokens, withHeader(token, { kid: other }), withHeader(token, { kid: other, alg: undefined }));
    }
  });

  it('requires the alg of that key, and never accepts none (ASVS 9.1.2)', () => {
    const tokens = tokensOf();
    const token = tokens.issue(AWA);
    const names = ['none', 'None', 'NONE', 'hs256', 'HS256 ', 'HS384', 'HS512', 'RS256', 'ES256', '', 'constructor'];
    for (const alg of [...names, '__proto__', 'toString', undefined, null, 256, ['HS256'], { alg: 'HS256' }]) {
      expectRefused(tokens, withHeader(token, { alg }));
    }
    const { header, payload } = readToken(token);
    for (const alg of ['none', 'None']) {
      const unsigned = craftToken({ header: { ...header, alg }, payload });
      expectRefused(tokens, unsigned, `${unsigned}AAAA`, unsigned.slice(0, -1));
    }
    for (const alg of ['HS384', 'HS512']) {
      expectRefused(tokens, craftToken({ header: { ...header, alg }, payload, key: SECRET }));
    }
  });

  it('never uses a public key as the secret of HS256', () => {
    const { privateKey, publicKey } = rsaPair();
    const rsa: KeyConfig = { kid: 'k1', algorithm: 'RS256', privateKey, publicKey };
    const secret: KeyConfig = { kid: 'k2', algorithm: 'HS256', secret: SECRET };
    const { payload } = readToken(tokensOf({ keys: [rsa] }).issue(AWA));
    const pem = pemOf(publicKey);
    const guesses = [pem, pem.trim(), publicKey.export({ type: 'pkcs1', format: 'pem' }).toString()];
    for (const keys of [[rsa], [rsa, secret], [secret, rsa]]) {
      for (const key of [...guesses, publicKey.export({ type: 'spki', format: 'der' })]) {
        for (const kid of ['k1', 'k2']) {
          const header = { alg: 'HS256', typ: 'at+jwt', kid };
          expectRefused(tokensOf({ keys }), craftToken({ header, payload, key }));
        }
      }
    }
  });

  it('accepts one algorithm for each key, also when another key of the ring has the other (ASVS 9.1.2)', () => {
    const pair = rsaPair();
    const tokens = tokensOf({
      keys: [
        { kid: 'rs', algorithm: 'RS256', ...pair },
        { kid: 'ps', algorithm: 'PS256', ...pair },
        { kid: 'long', algorithm: 'RS512', ...pair },
      ],
    });
    const { payload } = readToken(tokens.issue(AWA));
    for (const [kid, own] of [
      ['rs', 'RS256'],
      ['ps', 'PS256'],
      ['long', 'RS512'],
    ] as const) {
      for (const alg of ['RS256', 'PS256', 'RS512', 'PS512', 'RS384']) {
        for (const algorithm of ['RS256', 'PS256', 'RS512']) {
          const header = { alg, typ: 'at+jwt', kid };
          const token = craftToken({ header, payload, key: pair.privateKey, algorithm });
          if (alg === own && algorithm === own) expect(tokens.verify(token).sub).to.equal(AWA.id);
          else expectRefused(tokens, token);
        }
      }
    }
  });

  it('refuses the tokens of another realm with the same secret', () => {
    const [shop, office] = [tokensOf({ realm: 'shop' }), tokensOf({ realm: 'office' })];
    expect(shop.verify(shop.issue(AWA)).sub).to.equal(AWA.id);
    expectRefused(shop, office.issue(AWA));
    expectRefused(office, shop.issue(AWA));
    expectRefused(tokensOf(), shop.issue(AWA), office.issue(AWA));
    expectRefused(shop, tokensOf().issue(AWA));
  });

  it('names the realm in every challenge', () => {
    const token = tokensOf({ realm: 'shop' }).issue(AWA);
    const later = tokensOf({ realm: 'shop', clock: () => NOW + 18_000_000 });
    const { headers } = expectAuthError(
      thrownBy(() => later.verify(token)),
      'expired_token',
    );
    expect(headers).to.deep.equal({
      'WWW-Authenticate':
        'Bearer realm="shop", error="invalid_token", error_description="The token has expired. Log in again."',
    });
    const early = tokensOf({ realm: 'shop', clock: () => NOW - 61_000 });
    expectRefused(early, token);
  });

  it('never gives one token the result of another', async () => {
    const tokens = tokensOf();
    const { header, payload } = readToken(tokens.issue(AWA));
    const awa = tokens.issue(AWA);
    const kofi = tokens.issue(KOFI);
    const old = { ...payload, iat: NOW / 1000 - 18_000, exp: NOW / 1000 };
    const expired = craftToken({ header, payload: old, key: SECRET });
    const forged = craftToken({ header, payload, key: OTHER_SECRET });
    const outcome = (token: string) => {
      try {
        return tokens.verify(token).referencl;
      } catch (error) {
        return (error as { readonly code: string }).code;
      }
    };
    const expected = [
      [awa, 'BTQ-1001'],
      [forged, 'invalid_token'],
      [kofi, 'CNT-1002'],
      [expired, 'expired_token'],
      ['', 'invalid_token'],
    ] as const;
    const turns = Array.from({ length: 50 }, (_, index) => expected[(index * 3) % 5] ?? expected[0]);
    const outcomes = await Promise.all(turns.map(async ([token]) => Promise.resolve(token).then(outcome)));
    expect(outcomes).to.deep.equal(turns.map(([, own]) => own));
  });

  it('keeps the results apart when one verification runs inside another', () => {
    let within: (() => void) | undefined;
    const clock = () => {
      const task = within;
      within = undefined;
      task?.();
      return NOW;
    };
    const tokens = tokensOf({ clock });
    const [awa, kofi] = [tokens.issue(AWA), tokens.issue(KOFI)];
    let inner: string | undefined;
    within = () => {
      inner = tokens.verify(kofi).referencl;
    };
    expect(tokens.verify(awa).referencl).to.equal('BTQ-1001');
    expect(inner).to.equal('CNT-1002');
    within = () => expectRefused(tokens, `${kofi}A`);
    expect(tokens.verify(awa).referencl).to.equal('BTQ-1001');
  });
});

describe('a ring of keys', () => {
  const es256: KeyConfig = { kid: 'es', algorithm: 'ES256', ...ecPair.prime256v1() };
  const hs256 = { kid: 'hs', algorithm: 'HS256', secret: SECRET } as const;
  const hs512 = { kid: 'hs512', algorithm: 'HS512', secret: SECRET + OTHER_SECRET } as const;

  it('signs with the first key and verifies with all', () => {
    const tokens = tokensOf({ keys: [es256, hs256, hs512] });
    expect(readToken(tokens.issue(AWA)).header).to.include({ kid: 'es', alg: 'ES256' });
    for (const key of [es256, hs256, hs512]) {
      expect(tokens.verify(tokensOf({ keys: [key] }).issue(AWA)).sub, key.kid).to.equal(AWA.id);
    }
  });

  it('signs and verifies with the new keys right after replaceKeys (ASVS 11.2.2)', () => {
    const tokens = tokensOf({ keys: [hs256] });
    const before = tokens.issue(AWA);
    tokens.replaceKeys([es256, hs256]);
    expect(readToken(tokens.issue(AWA)).header['kid']).to.equal('es');
    expect(tokens.verify(tokens.issue(AWA)).sub).to.equal(AWA.id);
    expect(tokens.verify(before).sub).to.equal(AWA.id);

    tokens.replaceKeys([es256]);
    expectRefused(tokens, before);
    expect(tokens.verify(tokens.issue(AWA)).sub).to.equal(AWA.id);
  });

  it('refuses older tokens when the same kid gets another secret', () => {
    const tokens = tokensOf({ keys: [hs256] });
    const before = tokens.issue(AWA);
    tokens.replaceKeys([{ ...hs256, secret: OTHER_SECRET }]);
    expectRefused(tokens, before);
  });

  it('can replace a secret', () => {
    const tokens = tokensOf();
    const before = tokens.issue(AWA);
    tokens.replaceKeys([es256]);
    expectRefused(tokens, before);
    expect(tokens.verify(tokens.issue(AWA)).sub).to.equal(AWA.id);
  });

  it('has a signing key as long as its first key has a private half', () => {
    const tokens = tokensOf({ keys: [es256] });
    expect(tokens.signingKey?.kid).to.equal('es');
    tokens.replaceKeys([{ kid: 'es', algorithm: 'ES256', publicKey: ecPair.prime256v1().publicKey }]);
    expect(tokens.signingKey).to.equal(undefined);
    expect(tokens.verify(tokensOf({ keys: [es256] }).issue(AWA)).sub).to.equal(AWA.id);
    tokens.replaceKeys([hs256]);
    expect(tokens.signingKey?.kid).to.equal('hs');
  });

  it('stays as it is when the new keys are wrong', () => {
    const tokens = tokensOf({ keys: [hs256] });
    const before = tokens.issue(AWA);
    const bad: unknown[] = [
      [],
      null,
      undefined,
      [es256, { ...hs256, secret: 'short' }],
      [es256, es256],
      [{ ...es256, kid: '' }],
      [{ ...es256, algorithm: 'none' }],
    ];
    for (const keys of bad) {
      expect(() => tokens.replaceKeys(keys as KeyConfig[])).to.throw(TypeError, /^createTokens: /);
      expect(tokens.verify(before).sub).to.equal(AWA.id);
      expect(readToken(tokens.issue(AWA)).header['kid']).to.equal('hs');
    }
  });

  it('does not change when the given list changes later', () => {
    const keys: KeyConfig[] = [hs256];
    const tokens = tokensOf({ keys });
    keys[0] = es256;
    keys.push(hs512);
    expect(readToken(tokens.issue(AWA)).header['kid']).to.equal('hs');
    expectRefused(tokens, tokensOf({ keys: [hs512] }).issue(AWA));
  });
});
