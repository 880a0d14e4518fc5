import { expect } from 'chai';
import { createTokens } from '../../src/tokens/tokens.js';
import type { TokensOptions } from '../../src/tokens/tokens-options.js';
import { AWA } from '../helpers/accounts.js';
import { OTHER_SECRET, SECRET } from '../helpers/keys.js';
import { expectTypeError } from '../helpers/thrown.js';

const KEYS = [{ kid: 'k1', algorithm: 'HS256', secret: SECRET }] as const;

describe('the options of createTokens', () => {
  it('must be a plain object of known options', () => {
    const known = 'Known options: secret, keys, realm, issuer, audience, clock, tokenCacheSize.';
    for (const [options, message] of [
      [{ secrt: SECRET }, `unknown option "secrt". ${known}`],
      [SECRET, 'the options must be a plain object, { name: value }.'],
    ] as const) {
      expectTypeError(() => createTokens(options as never), `createTokens: ${message}`, SECRET);
    }
  });

  it('do not use JWT_SECRET in place of an undefined secret or key ring', () => {
    const problem = 'secret or keys is undefined. Leave both out for the secret in JWT_SECRET.';
    for (const options of [{ secret: undefined }, { keys: undefined }, { secret: undefined, keys: undefined }]) {
      expectTypeError(() => createTokens(options as never), `createTokens: ${problem}`);
    }
  });

  it('have either secret or keys', () => {
    const both = { secret: OTHER_SECRET, keys: KEYS };
    expectTypeError(() => createTokens(both), 'createTokens: give either secret or keys.', SECRET, OTHER_SECRET);
  });

  for (const [name, values, rule] of [
    ['realm', ['', 'a"b'], 'visible ASCII without quotes and backslashes'],
    ['issuer', ['', 5], 'a non-empty string'],
    ['audience', ['', ['me']], 'a non-empty string'],
    ['clock', [Date.now()], 'a function'],
    ['tokenCacheSize', [-1, 1_000_001], 'a whole number from 0 to 1000000'],
  ] as const) {
    it(`refuse ${name} unless it is ${rule}`, () => {
      for (const value of values) {
        const options = { secret: SECRET, [name]: value };
        expectTypeError(() => createTokens(options), `createTokens: ${name} must be ${rule}.`);
      }
    });
  }

  it('can be undefined, which is the same as omitted', () => {
    const options: TokensOptions = { secret: SECRET };
    const omitted = { keys: undefined, realm: undefined, issuer: undefined, audience: undefined };
    const tokens = createTokens({ ...options, ...omitted, tokenCacheSize: undefined } as object);
    expect(tokens.realm).to.equal('merchant');
    expect(tokens.verify(createTokens(options).issue(AWA))).to.include({ iss: 'express-merchant-auth/merchant' });
  });
});
