import { expect } from 'chai';
import { AuthError } from '../../src/errors/auth-error.js';
import { CLOCK_SKEW_SECONDS, claimsProblem, TOKEN_LIFETIME_SECONDS } from '../../src/tokens/claims.js';
import { createTokens, type TokensOptions } from '../../src/tokens/tokens.js';
import { AWA } from '../helpers/accounts.js';
import { expectAuthError, thrownBy } from '../helpers/thrown.js';
import { craftToken, readToken } from '../helpers/tokens.js';

const SECRET = 'mangrove-mangrove-mangrove-32-by';
/** A whole second: the instants below are `NOW` and so many seconds. */
const NOW = Date.UTC(2026, 0, 15, 12) / 1000;

/** Verifies, at `NOW` unless said otherwise, the payload of a good token after `change`. */
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
          'Bearer realm="merchant", error="invalid_token", error_description="The token is not valid."',
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

/** The payload as JSON text, with `claim` written as it stands here. */
function written(payload: object, claim: string, json: string): string {
  return JSON.stringify({ ...payload, [claim]: '?' }).replace('"?"', json);
}

describe('the lifetime of a token', () => {
  it('is five hours, with a minute for clocks that differ', () => {
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

  it('may have further claims, which are handed on', () => {
    verifying().accepts({ scope: 'transactions', nested: { list: [1, { two: 2 }] }, jti: 'another' });
  });

  it('needs no jti', () => {
    verifying().accepts({ jti: undefined });
  });

  it('has its claims of its own', () => {
    const token = verifying();
    const { sub, ...rest } = token.payload;
    token.refuses(JSON.stringify(rest).replace('{', `{"__proto__":{"sub":"${String(sub)}"},`));
  });
});

describe('claimsProblem', () => {
  const rules = { issuer: 'me', audience: undefined };
  const claims = { iss: 'me', sub: '1', iat: NOW, exp: NOW + 18_000, referencl: 'BTQ-1001' };

  it('is true for claims, whatever the time', () => {
    expect(claimsProblem(claims, rules)).to.equal(undefined);
    expect(claimsProblem({ ...claims, iat: 0, exp: 1, nbf: 9e9 }, rules)).to.equal(undefined);
  });

  it('is false for whatever else a decoder may give', () => {
    for (const payload of [undefined, null, '', JSON.stringify(claims), 5, [claims], Object.assign([], claims)]) {
      expect(claimsProblem(payload, rules)).to.be.a('string');
    }
  });

  it('is false for times that are no finite numbers', () => {
    for (const claim of ['iat', 'exp', 'nbf']) {
      for (const time of [NaN, Infinity, -Infinity, new Date(0), 5n]) {
        expect(claimsProblem({ ...claims, [claim]: time }, rules), `${claim} ${String(time)}`).to.be.a('string');
      }
    }
  });
});

describe('iss', () => {
  it('must be the issuer, to the letter', () => {
    const issuer = 'express-merchant-auth/merchant';
    const token = verifying();
    token.accepts({ iss: issuer });
    for (const iss of [undefined, null, '', 5, `${issuer}/`, issuer.toUpperCase(), [issuer], { [issuer]: 1 }]) {
      token.refuses({ iss });
    }
  });

  it('must be the issuer that was configured', () => {
    const token = verifying({ issuer: 'https://pay.example' });
    token.accepts({ iss: 'https://pay.example' });
    token.refuses({ iss: 'express-merchant-auth/merchant' });
  });
});

describe('aud', () => {
  it('must name the audience that was configured, alone or among others', () => {
    const token = verifying({ audience: 'payments' });
    expect(token.payload['aud']).to.equal('payments');
    for (const aud of ['payments', ['payments'], ['reports', 'payments']]) token.accepts({ aud });
    for (const aud of [undefined, null, '', 'reports', 'Payments', [], ['reports'], [['payments']], 5, {}]) {
      token.refuses({ aud });
    }
    token.refuses({ aud: { payments: true } });
    token.refuses({ aud: 'payments reports' });
  });

  it('is refused where no audience is configured', () => {
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
    it('must be there, as a number', () => {
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
  it('ends the token at that very millisecond, without tolerance', () => {
    const token = verifying();
    token.at((NOW + 18_000) * 1000 - 1).accepts({});
    token.at((NOW + 18_000) * 1000).expires();
    token.at((NOW + 18_001) * 1000).expires();
  });

  it('may be a fraction of a second, and ends the token there', () => {
    const token = verifying();
    token.at(NOW * 1000 + 499).accepts({ exp: NOW + 0.5 });
    token.at(NOW * 1000 + 500).expires({ exp: NOW + 0.5 });
  });

  it('is held against the clock that was given, in whatever century that is', () => {
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

  it('has to be ahead for a token that was made short', () => {
    const token = verifying();
    token.accepts({ exp: NOW + 1 });
    token.expires({ exp: NOW });
    token.expires({ exp: NOW - 1 });
    token.expires({ exp: 0, iat: 0 });
    token.expires({ exp: -1, iat: -1 });
  });

  it('does not tell an expired token from a forged one that is not ours', () => {
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
  it('may be up to 60 s ahead', () => {
    const token = verifying();
    for (const nbf of [0, NOW - 1, NOW, NOW + 0.5, NOW + 60]) token.accepts({ nbf });
    for (const nbf of [NOW + 60.001, NOW + 61, NOW + 18_000]) token.refuses({ nbf });
  });

  it('must be a finite number where it is given', () => {
    const token = verifying();
    token.accepts({ nbf: undefined });
    for (const nbf of [null, '', String(NOW), true, [NOW], {}]) token.refuses({ nbf });
    for (const json of ['1e999', '-1e999']) token.refuses(written(token.payload, 'nbf', json));
  });
});
