import { expect } from 'chai';
import type { KeyConfig } from '../../src/tokens/keys.js';
import { createTokens, type Tokens } from '../../src/tokens/tokens.js';
import type { TokensOptions } from '../../src/tokens/tokens-options.js';
import { AWA } from '../helpers/accounts.js';
import { expectTypeError } from '../helpers/thrown.js';

const SECRET = 'mangrove-mangrove-mangrove-32-by';
const OTHER_SECRET = 'baobab-baobab-baobab-baobab-32-b';
const NOW = Date.UTC(2026, 0, 15, 12);

function tokensOf(options: TokensOptions = {}): Tokens {
  return createTokens({ secret: SECRET, clock: () => NOW, ...options });
}

describe('the options of createTokens', () => {
  it('must be a plain object of known options', () => {
    expectTypeError(
      () => createTokens({ secrt: SECRET } as never),
      'createTokens: unknown option "secrt". Known options: secret, keys, realm, issuer, audience, clock, tokenCacheSize.',
      SECRET,
    );
    expectTypeError(
      () => createTokens(SECRET as never),
      'createTokens: the options must be a plain object, { name: value }.',
      SECRET,
    );
  });

  it('do not use JWT_SECRET in place of an undefined secret or key ring', () => {
    const problem = 'secret or keys is undefined. Leave both out for the secret in JWT_SECRET.';
    for (const options of [{ secret: undefined }, { keys: undefined }, { secret: undefined, keys: undefined }]) {
      expectTypeError(() => createTokens(options as never), `createTokens: ${problem}`);
    }
    createTokens({ secret: SECRET, keys: undefined } as never);
  });

  it('have either secret or keys', () => {
    const keys: KeyConfig[] = [{ kid: 'k1', algorithm: 'HS256', secret: SECRET }];
    expectTypeError(
      () => createTokens({ secret: OTHER_SECRET, keys }),
      'createTokens: give either secret or keys.',
      SECRET,
      OTHER_SECRET,
    );
  });

  it('have a realm that a quoted string can hold', () => {
    const message = 'createTokens: realm must be visible ASCII without quotes and backslashes.';
    for (const realm of ['', 'a"b', 'a\\b', 'marché', 'a\nb', 'a\tb', '\u007f', 5, null, {}]) {
      expectTypeError(() => tokensOf({ realm: realm as string }), message);
    }
    expect(tokensOf({ realm: 'back office (1)' }).realm).to.equal('back office (1)');
  });

  it('have an issuer and an audience that are non-empty strings', () => {
    for (const value of ['', 5, {}, ['me'], false, null]) {
      for (const name of ['issuer', 'audience']) {
        expectTypeError(() => tokensOf({ [name]: value }), `createTokens: ${name} must be a non-empty string.`);
      }
    }
  });

  it('have a clock that is a function', () => {
    for (const clock of [NOW, new Date(NOW), null, 'now']) {
      expectTypeError(() => tokensOf({ clock: clock as never }), 'createTokens: clock must be a function.');
    }
  });

  it('have a tokenCacheSize from 0 to 1,000,000', () => {
    for (const tokenCacheSize of [-1, 0.5, 1_000_001, Infinity, NaN, '10', null, true]) {
      expectTypeError(
        () => tokensOf({ tokenCacheSize: tokenCacheSize as number }),
        'createTokens: tokenCacheSize must be a whole number from 0 to 1000000.',
      );
    }
    for (const tokenCacheSize of [0, 1, 1_000_000]) {
      const tokens = tokensOf({ tokenCacheSize });
      expect(tokens.verify(tokens.issue(AWA)).sub).to.equal(AWA.id);
    }
  });

  it('can be undefined, which is the same as omitted', () => {
    const omitted = { keys: undefined, realm: undefined, issuer: undefined, audience: undefined };
    const tokens = tokensOf({ ...omitted, tokenCacheSize: undefined } as object);
    expect(tokens.realm).to.equal('merchant');
    expect(tokens.verify(tokensOf().issue(AWA))).to.include({ iss: 'express-merchant-auth/merchant' });
  });
});
