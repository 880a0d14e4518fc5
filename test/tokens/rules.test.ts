import { expect } from 'chai';
import { AuthError } from '../../src/errors/auth-error.js';
import {
  checkClaims,
  checkEncoding,
  checkTimes,
  CLOCK_SKEW_SECONDS,
  invalidToken,
  TOKEN_LIFETIME_SECONDS,
  type TokenRules,
} from '../../src/tokens/rules.js';
import { createTokens } from '../../src/tokens/tokens.js';
import type { TokensOptions } from '../../src/tokens/tokens-options.js';
import { AWA } from '../helpers/accounts.js';
import { expectAuthError, thrownBy } from '../helpers/thrown.js';
import { craftToken, expectInvalidToken, readToken } from '../helpers/tokens.js';

const SECRET = 'mangrove-mangrove-mangrove-32-by';
/** The fixed time, in seconds. */
const NOW = Date.UTC(2026, 0, 15, 12) / 1000;

/** Verifies changed payloads of a good token, at `NOW` or at the time that `at` sets. */
function verifying(options: TokensOptions = {}) {
  let now = NOW * 1000;
  const tokens = createTokens({ secret: SECRET, clock: () => now, ...options });
  const { header, payload } = readToken(tokens.issue(AWA));
  const verify = (changed: unknown) => tokens.verify(craftToken({ header, payload: changed, key: SECRET }));
  return {
    payload,
    verify,
    at(milliseconds: number) {
      now = milliseconds;
      return this;
    },
    accepts(change: object) {
      const changed = { ...payload, ...change };
      expect(verify(changed)).to.deep.equal(JSON.parse(JSON.stringify(changed)));
    },
    refuses(change: unknown) {
      const changed = typeof change === 'object' ? { ...payload, ...change } : change;
      const shown = typeof changed === 'string' ? changed : JSON.stringify(change);
      let error: unknown;
      try {
        verify(changed);
      } catch (thrown) {
        error = thrown;
      }
      expect(error, shown).not.to.equal(undefined);
      const { headers } = expectAuthError(error, 'invalid_token');
      expect(headers).to.deep.equal({
        'WWW-Authenticate':
          'Bearer realm="merchant", error="invalid_token", error_description="The token is not valid. Log in again."',
      });
    },
    expires(change: object = {}) {
      const { headers } = expectAuthError(
        thrownBy(() => verify({ ...payload, ...change })),
        'expired_token',
      );
      expect(headers).to.deep.equal({
        'WWW-Authenticate':
          'Bearer realm="merchant", error="invalid_token", error_description="The token has expired. Log in again."',
      });
    },
  };
}

/** Returns the payload as JSON text, with `json` as the value of `claim`. */
function written(payload: object, claim: string, json: string): string {
  return JSON.stringify({ ...payload, [claim]: '?' }).replace('"?"', json);
}

describe('the lifetime of a token', () => {
  it('is five hours, and clocks may differ by a minute', () => {
    expect(TOKEN_LIFETIME_SECONDS).to.equal(18_000);
    expect(CLOCK_SKEW_SECONDS).to.equal(60);
  });
});

describe('the payload of a token', () => {
  it('must be an object', () => {
    const token = verifying();
    for (const payload of ['[]', '"text"', '5', 'null', 'true', 'text', '', ' ']) token.refuses(payload);
    token.refuses(`[${JSON.stringify(token.payload)}]`);
    token.refuses(JSON.stringify(JSON.stringify(token.payload)));
    token.refuses(JSON.stringify(token.payload).slice(0, -1));
  });

  it('may have further claims, which are returned', () => {
    verifying().accepts({ scope: 'transactions', nested: { list: [1, { two: 2 }] }, jti: 'another' });
  });

  it('may have further claims that are null', () => {
    verifying().accepts({ scope: null, nested: { list: [null] } });
  });

  it('needs no jti', () => {
    verifying().accepts({ jti: undefined });
  });

  it('must have the claims as own members', () => {
    const token = verifying();
    const { sub, ...rest } = token.payload;
    token.refuses(JSON.stringify(rest).replace('{', `{"__proto__":{"sub":"${String(sub)}"},`));
  });
});

const RULES: TokenRules = { realm: 'back office', issuer: 'me', audience: undefined };
const CLAIMS = { iss: 'me', sub: '1', iat: NOW, exp: NOW + 18_000, referencl: 'BTQ-1001' };

describe('checkEncoding', () => {
  const [header, payload] = [Buffer.from('{"a":"b"} ').toString('base64url'), 'e30'];

  it('accepts canonical base64url of UTF-8', () => {
    for (const signature of ['AAAA', 'AA', 'AAA', 'AQ', 'AAE']) {
      checkEncoding(`${header}.${payload}.${signature}`, RULES);
    }
  });

  it('throws invalid_token for another encoding, with the realm, and with the reason in the detail', () => {
    for (const token of [
      `${header}.${payload}.AB`,
      `${header}.${payload}.AAB`,
      `${header}.${payload}.AAAAA`,
      `${header}.e31.AAAA`,
    ]) {
      expectInvalidToken(RULES.realm, () => checkEncoding(token, RULES), 'it is not canonical base64url');
    }
    const latin = Buffer.from('{"name":"Awa Koné"}', 'latin1').toString('base64url');
    expectInvalidToken(RULES.realm, () => checkEncoding(`${header}.${latin}.AAAA`, RULES), 'it is not UTF-8');
  });
});

describe('checkClaims', () => {
  const check = (change: object, rules = RULES) => checkClaims({ ...CLAIMS, ...change }, rules);

  it('accepts the claims of a token at any time', () => {
    check({});
    check({ iat: 0, exp: 1, nbf: 9e9 });
    check({ aud: 'payments' }, { ...RULES, audience: 'payments' });
    check({ valid_after: NOW * 1000 });
  });

  it('throws invalid_token for each broken rule, with the realm, and with the reason in the detail', () => {
    for (const [change, reason] of [
      [{ iss: 'you' }, 'its iss is not the issuer of these tokens'],
      [{ aud: 'payments' }, 'its aud is not the audience of these tokens'],
      [{ sub: '' }, 'its sub is not a non-empty string'],
      [{ referencl: 7 }, 'its referencl is not a non-empty string'],
      [{ iat: '0' }, 'its iat is not a finite number'],
      [{ exp: null }, 'its exp is not a finite number'],
      [{ nbf: null }, 'its nbf is not a finite number'],
      [{ valid_after: 0.5 }, 'its valid_after is not an integer'],
    ] as const) {
      expectInvalidToken(RULES.realm, () => check(change), reason);
    }
    expectInvalidToken(
      RULES.realm,
      () => check({}, { ...RULES, audience: 'payments' }),
      'its aud is not the audience of these tokens',
    );
  });

  it('throws invalid_token for a payload that is not an object', () => {
    for (const payload of [undefined, null, '', JSON.stringify(CLAIMS), 5, [CLAIMS], Object.assign([], CLAIMS)]) {
      expectInvalidToken(RULES.realm, () => checkClaims(payload, RULES), 'its payload is not an object');
    }
  });

  it('throws invalid_token for times that are not finite numbers', () => {
    for (const claim of ['iat', 'exp', 'nbf']) {
      for (const time of [NaN, Infinity, -Infinity, new Date(0), 5n]) {
        expectInvalidToken(RULES.realm, () => check({ [claim]: time }), `its ${claim} is not a finite number`);
      }
    }
  });
});

describe('checkTimes', () => {
  const check = (change: object, now = NOW) => checkTimes({ ...CLAIMS, ...change }, now, RULES);

  it('throws invalid_token for the lifetime and the start, with the realm, and with the reason in the detail', () => {
    check({});
    expectInvalidToken(RULES.realm, () => check({ exp: NOW + 18_001 }), 'its lifetime is too long');
    expectInvalidToken(RULES.realm, () => check({ iat: NOW + 61 }), 'it is not valid yet');
    expectInvalidToken(RULES.realm, () => check({ nbf: NOW + 61 }), 'it is not valid yet');
    expectInvalidToken(RULES.realm, () => check({}, NaN), 'it is not valid yet');
  });

  it('throws expired_token at the end, with the realm', () => {
    check({}, NOW + 17_999.999);
    const error = expectAuthError(
      thrownBy(() => check({}, NOW + 18_000)),
      'expired_token',
    );
    expect(error.detail).to.equal('The token has expired. Log in again.');
    expect(error.headers).to.deep.equal({
      'WWW-Authenticate':
        'Bearer realm="back office", error="invalid_token", error_description="The token has expired. Log in again."',
    });
  });
});

describe('invalidToken', () => {
  it('keeps the cause, and tells the caller neither cause nor reason', () => {
    const cause = new Error('invalid signature');
    const error = invalidToken('back office', 'its signature is not valid', cause);
    expectInvalidToken(
      RULES.realm,
      () => {
        throw error;
      },
      'its signature is not valid',
    );
    expect(error.cause).to.equal(cause);
    expect(JSON.stringify({ ...error.toJSON(), ...error.headers })).not.to.contain('signature');
  });
});

describe('iss', () => {
  it('must be exactly the issuer', () => {
    const issuer = 'express-merchant-auth/merchant';
    const token = verifying();
    token.accepts({ iss: issuer });
    for (const iss of [undefined, null, '', 5, `${issuer}/`, issuer.toUpperCase(), [issuer], { [issuer]: 1 }]) {
      token.refuses({ iss });
    }
  });

  it('must be the configured issuer', () => {
    const token = verifying({ issuer: 'https://pay.example' });
    token.accepts({ iss: 'https://pay.example' });
    token.refuses({ iss: 'express-merchant-auth/merchant' });
  });
});

describe('aud', () => {
  it('must be the configured audience, or a list that has it (ASVS 9.2.3)', () => {
    const token = verifying({ audience: 'payments' });
    expect(token.payload['aud']).to.equal('payments');
    for (const aud of ['payments', ['payments'], ['reports', 'payments']]) token.accepts({ aud });
    for (const aud of [undefined, null, '', 'reports', 'Payments', [], ['reports'], [['payments']], 5, {}]) {
      token.refuses({ aud });
    }
    token.refuses({ aud: { payments: true } });
    token.refuses({ aud: 'payments reports' });
  });

  it('is refused when no audience is configured', () => {
    const token = verifying();
    expect(token.payload).not.to.have.property('aud');
    for (const aud of ['payments', '', null, [], ['payments'], [null], 'undefined']) token.refuses({ aud });
  });
});

for (const claim of ['sub', 'referencl']) {
  describe(claim, () => {
    it('must be a non-empty string', () => {
      const token = verifying();
      token.accepts({ [claim]: ' ' });
      for (const value of [undefined, null, '', 0, 1, true, [], ['1'], {}]) token.refuses({ [claim]: value });
    });
  });
}

for (const claim of ['iat', 'exp']) {
  describe(claim, () => {
    it('must be a number', () => {
      const token = verifying();
      for (const value of [undefined, null, '', String(NOW), 'NaN', true, [NOW], {}]) token.refuses({ [claim]: value });
    });

    it('must be finite', () => {
      const token = verifying();
      token.accepts({ [claim]: token.payload[claim] });
      for (const json of ['1e999', '-1e999']) token.refuses(written(token.payload, claim, json));
    });
  });
}

describe('iat', () => {
  it('may be up to 60 s ahead', () => {
    const token = verifying();
    token.accepts({ iat: NOW + 60, exp: NOW + 60 + 18_000 });
    token.refuses({ iat: NOW + 60.001, exp: NOW + 60 + 18_000 });
    token.refuses({ iat: NOW + 61, exp: NOW + 61 + 18_000 });
  });

  it('may be a fraction of a second', () => {
    verifying().accepts({ iat: NOW + 0.5 });
  });

  it('is never more than 18,000 s before exp', () => {
    const token = verifying();
    token.accepts({ iat: NOW - 1, exp: NOW - 1 + 18_000 });
    token.accepts({ iat: NOW - 17_999, exp: NOW + 1 });
    token.refuses({ iat: NOW - 1 });
    token.refuses({ exp: NOW + 18_001 });
    token.refuses({ exp: NOW + 18_000.5 });
    token.refuses({ iat: 0 });
    token.refuses({ exp: Number.MAX_VALUE });
  });
});

describe('exp', () => {
  it('ends the token at exactly that millisecond, without tolerance (ASVS 7.3.2, 9.2.1)', () => {
    const token = verifying();
    token.at((NOW + 18_000) * 1000 - 1).accepts({});
    token.at((NOW + 18_000) * 1000).expires();
    token.at((NOW + 18_001) * 1000).expires();
  });

  it('may be a fraction of a second, and ends the token then', () => {
    const token = verifying();
    token.at(NOW * 1000 + 499).accepts({ exp: NOW + 0.5 });
    token.at(NOW * 1000 + 500).expires({ exp: NOW + 0.5 });
  });

  it('is compared with the given clock, in any century', () => {
    for (const now of [0, Date.UTC(2001, 8, 9), Date.UTC(2101, 8, 9)]) {
      const tokens = createTokens({ secret: SECRET, clock: () => now });
      const { header, payload } = readToken(tokens.issue(AWA));
      const verify = (change: object) => {
        return tokens.verify(craftToken({ header, payload: { ...payload, ...change }, key: SECRET }));
      };
      expect(verify({ nbf: now / 1000 + 60 })).to.include({ iat: now / 1000, exp: now / 1000 + 18_000 });
      expectAuthError(
        thrownBy(() => verify({ iat: now / 1000 - 1, exp: now / 1000 })),
        'expired_token',
      );
    }
  });

  it('must be ahead, also in a token with a shorter lifetime', () => {
    const token = verifying();
    token.accepts({ exp: NOW + 1 });
    token.expires({ exp: NOW });
    token.expires({ exp: NOW - 1 });
    token.expires({ exp: 0, iat: 0 });
    token.expires({ exp: -1, iat: -1 });
  });

  it('does not make an expired token of another issuer expired_token', () => {
    const token = verifying();
    token.at((NOW + 18_000) * 1000).refuses({ iss: 'another' });
    token.refuses({ referencl: '' });
  });

  it('refuses every token while the clock gives no time', () => {
    const token = verifying().at(NaN);
    expect(() => token.verify(token.payload)).to.throw(AuthError);
    expect(() => token.verify({ ...token.payload, iat: 0, exp: 1 })).to.throw(AuthError);
  });
});

describe('nbf', () => {
  it('may be up to 60 s ahead (ASVS 9.2.1)', () => {
    const token = verifying();
    for (const nbf of [0, NOW - 1, NOW, NOW + 0.5, NOW + 60]) token.accepts({ nbf });
    for (const nbf of [NOW + 60.001, NOW + 61, NOW + 18_000]) token.refuses({ nbf });
  });

  it('must be a finite number when it is present', () => {
    const token = verifying();
    token.accepts({ nbf: undefined });
    for (const nbf of [null, '', String(NOW), true, [NOW], {}]) token.refuses({ nbf });
    for (const json of ['1e999', '-1e999']) token.refuses(written(token.payload, 'nbf', json));
  });
});

describe('valid_after', () => {
  it('may be absent', () => {
    verifying().accepts({ valid_after: undefined });
  });

  it('must be an integer when it is present', () => {
    const token = verifying();
    for (const value of [0, 1, -1, NOW * 1000, Number.MAX_SAFE_INTEGER]) token.accepts({ valid_after: value });
    for (const value of [0.5, NOW * 1000 + 0.25, null, '', String(NOW), true, [NOW], {}]) {
      token.refuses({ valid_after: value });
    }
    for (const json of ['1e999', '-1e999']) token.refuses(written(token.payload, 'valid_after', json));
  });
});
