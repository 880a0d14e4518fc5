import { expect } from 'chai';
import { keyOfSecret } from '../../src/tokens/keys.js';
import { type SigningKey, signClaims } from '../../src/tokens/signing.js';
import { craftToken, readToken } from '../helpers/tokens.js';

const SECRET = 'mangrove-mangrove-mangrove-32-by';
const KEY = keyOfSecret(SECRET) as SigningKey;

describe('signClaims', () => {
  it('signs exactly the given claims, in their order, even an iat of 0', () => {
    const claims = { sub: '1', iat: 0, exp: 18_000 };
    const header = { alg: 'HS256', typ: 'at+jwt', kid: KEY.kid };
    const token = signClaims(KEY, claims);
    expect(readToken(token)).to.deep.equal({ header, payload: claims });
    expect(token).to.equal(craftToken({ header, payload: claims, key: SECRET }));
  });
});
