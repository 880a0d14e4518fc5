import { expect } from 'chai';
import { createTokens, TOKEN_LIFETIME_SECONDS } from '../../src/index.js';
import { createTestTokens } from '../../src/testing/index.js';
import { AWA } from '../helpers/accounts.js';
import { expectTypeError } from '../helpers/thrown.js';

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
