import { expect } from 'chai';
import type { KeyConfig } from '../../src/tokens/keys.js';
import { createTokens, type Tokens } from '../../src/tokens/tokens.js';
import { ecPair, otherEcPair, pemOf, rsaPair } from '../helpers/keys.js';

const SECRET = 'mangrove-mangrove-mangrove-mangrove-mangrove-mangrove-mangrove-64';
const secrets: readonly KeyConfig[] = (['HS256', 'HS384', 'HS512'] as const).map((algorithm) => {
  return { kid: `secret of ${algorithm}`, algorithm, secret: SECRET };
});

function jwkOf(key: KeyConfig): object | undefined {
  return createTokens({ keys: [key] }).jwks().keys[0];
}

describe('jwks', () => {
  for (const algorithm of ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const) {
    it(`has the members of RFC 7517 for a key of ${algorithm}, and nothing private`, () => {
      const { publicKey, privateKey } = rsaPair();
      const { n, e } = publicKey.export({ format: 'jwk' });
      for (const pair of [{ publicKey, privateKey }, { publicKey: pemOf(publicKey) }]) {
        const expected = { kty: 'RSA', kid: 'k1', use: 'sig', alg: algorithm, n, e };
        expect(jwkOf({ kid: 'k1', algorithm, ...pair })).to.deep.equal(expected);
      }
    });
  }

  for (const [algorithm, pair, crv] of [
    ['ES256', ecPair.prime256v1, 'P-256'],
    ['ES384', ecPair.secp384r1, 'P-384'],
    ['ES512', ecPair.secp521r1, 'P-521'],
  ] as const) {
    it(`has the members of RFC 7517 for a key of ${algorithm}, and nothing private`, () => {
      const { x, y } = pair().publicKey.export({ format: 'jwk' });
      const expected = { kty: 'EC', kid: 'k1', use: 'sig', alg: algorithm, crv, x, y };
      expect(jwkOf({ kid: 'k1', algorithm, ...pair() })).to.deep.equal(expected);
    });
  }

  it('has only the pairs of a mixed ring, in their order, and follows replaceKeys', () => {
    const z: KeyConfig = { kid: 'z', algorithm: 'ES256', ...ecPair.prime256v1() };
    const a: KeyConfig = { kid: 'a', algorithm: 'ES256', publicKey: otherEcPair().publicKey };
    const kidsOf = (tokens: Tokens) => tokens.jwks().keys.map(({ kid }) => kid);
    const tokens = createTokens({ keys: [...secrets, z, a] });
    expect(kidsOf(tokens)).to.deep.equal(['z', 'a']);
    tokens.replaceKeys([a, ...secrets]);
    expect(kidsOf(tokens)).to.deep.equal(['a']);
    tokens.replaceKeys(secrets);
    expect(kidsOf(tokens)).to.deep.equal([]);
  });

  it('is a new object each time, so that a caller who changes it changes nothing else', () => {
    const tokens = createTokens({ keys: [{ kid: 'k1', algorithm: 'RS256', ...rsaPair() }] });
    const { keys } = tokens.jwks();
    const before = structuredClone(keys);
    Object.assign(keys[0] ?? {}, { kid: 'changed', n: 'AQAB' });
    keys.length = 0;
    expect(tokens.jwks().keys).to.deep.equal(before);
  });
});
