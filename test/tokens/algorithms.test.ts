import type { KeyLike, KeyPairKeyObjectResult } from 'node:crypto';
import { expect } from 'chai';
import { type Algorithm, algorithms } from '../../src/tokens/algorithms.js';
import type { KeyConfig } from '../../src/tokens/keys.js';
import { createTokens } from '../../src/tokens/tokens.js';
import { AWA } from '../helpers/accounts.js';
import { ecPair, rsaPair, rsaPssPair } from '../helpers/keys.js';
import { expectAuthError, thrownBy } from '../helpers/thrown.js';
import { craftToken, readToken } from '../helpers/tokens.js';

const SECRETS = { HS256: 'mango-32'.repeat(4), HS384: 'mango-48'.repeat(6), HS512: 'mango-64'.repeat(8) } as const;

const PAIRS: readonly (readonly [Exclude<Algorithm, `HS${string}`>, string, () => KeyPairKeyObjectResult])[] = [
  ['RS256', 'an RSA key', rsaPair],
  ['RS384', 'an RSA key', rsaPair],
  ['RS512', 'an RSA key', rsaPair],
  ['PS256', 'an RSA key', rsaPair],
  ['PS384', 'an RSA key', rsaPair],
  ['PS512', 'an RSA key', rsaPair],
  ['PS256', 'an RSA-PSS key of its hash', rsaPssPair[256]],
  ['PS384', 'an RSA-PSS key of its hash', rsaPssPair[384]],
  ['PS512', 'an RSA-PSS key of its hash', rsaPssPair[512]],
  ['ES256', 'a P-256 key', ecPair.prime256v1],
  ['ES384', 'a P-384 key', ecPair.secp384r1],
  ['ES512', 'a P-521 key', ecPair.secp521r1],
];

describe('algorithms', () => {
  it('are the twelve signature algorithms of RFC 7518 (ASVS 11.4.1, 11.4.3)', () => {
    expect(Object.keys(algorithms).join(' ')).to.equal(
      'HS256 HS384 HS512 RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512',
    );
  });

  function checkRoundTrip(algorithm: Algorithm, key: KeyConfig, signingKey: KeyLike) {
    const tokens = createTokens({ keys: [key] });
    const token = tokens.issue(AWA);
    const { header, payload } = readToken(token);
    expect(header).to.deep.equal({ alg: algorithm, typ: 'at+jwt', kid: 'k1' });
    expect(tokens.verify(token)).to.deep.equal(payload);

    const elsewhere = craftToken({ header, payload: { ...payload, referencl: 'CNT-1002' }, key: signingKey });
    expect(tokens.verify(elsewhere).referencl).to.equal('CNT-1002');

    const forged = [...elsewhere.split('.').slice(0, 2), token.split('.')[2]].join('.');
    expectAuthError(
      thrownBy(() => tokens.verify(forged)),
      'invalid_token',
    );
  }

  for (const [algorithm, secret] of Object.entries(SECRETS)) {
    it(`sign and verify with ${algorithm} and a secret of the least length`, () => {
      checkRoundTrip(
        algorithm as Algorithm,
        { kid: 'k1', algorithm: algorithm as keyof typeof SECRETS, secret },
        secret,
      );
    });
  }

  for (const [algorithm, kind, pair] of PAIRS) {
    it(`sign and verify with ${algorithm} and ${kind}`, () => {
      checkRoundTrip(algorithm, { kid: 'k1', algorithm, ...pair() }, pair().privateKey);
    });
  }
});
