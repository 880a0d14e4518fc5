import { expect } from 'chai';
import { isBearerToken } from '../src/bearer-token.js';

describe('isBearerToken', () => {
  it('accepts the characters of RFC 6750, with padding only at the end', () => {
    for (const token of ['a.b.c', 'AZaz09-._~+/', 'YQ==']) expect(isBearerToken(token), token).to.equal(true);
    for (const token of ['', '=', 'YQ==a', 'a b', ' a', 'a\n', 'a,b', 'é']) {
      expect(isBearerToken(token), token).to.equal(false);
    }
  });

  it('refuses a value that is not a string', () => {
    for (const value of [undefined, null, 5, ['a'], { toString: () => 'a' }]) {
      expect(isBearerToken(value)).to.equal(false);
    }
  });
});
