import { expect } from 'chai';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { createTokens } from '../../src/tokens/tokens.js';
import { AWA } from '../helpers/accounts.js';
import { ecPair, otherEcPair, rsaPair } from '../helpers/keys.js';
import { rejectionOf } from '../helpers/thrown.js';

const CLAIMS = { issuer: 'https://shop.example', audience: 'payments' };
const CURRENT = { kid: '2026-11', algorithm: 'ES256', ...ecPair.prime256v1() } as const;
const NEXT = { kid: '2026-12', algorithm: 'ES256', ...otherEcPair() } as const;

describe('jwks, read by jose', () => {
  for (const key of [
    { kid: 'rsa', algorithm: 'RS256', ...rsaPair() },
    { kid: 'rsa with PSS', algorithm: 'PS256', ...rsaPair() },
    CURRENT,
  ] as const) {
    it(`verifies a token of the key ${key.kid}, and not without this key`, async () => {
      const tokens = createTokens({ keys: [key, NEXT], ...CLAIMS });
      const token = tokens.issue(AWA);
      const { payload } = await jwtVerify(token, createLocalJWKSet(tokens.jwks()), { ...CLAIMS, typ: 'at+jwt' });
      expect(payload.sub).to.equal(AWA.id);
      tokens.replaceKeys([NEXT]);
      const error = await rejectionOf(jwtVerify(token, createLocalJWKSet(tokens.jwks()), CLAIMS));
      expect(error).to.have.property('code', 'ERR_JWKS_NO_MATCHING_KEY');
    });
  }
});
