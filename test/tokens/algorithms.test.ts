import type { KeyLike, KeyPairKeyObjectResult } from 'node:crypto';
import { expect } from 'chai';
import { algorithms } from '../../src/tokens/algorithms.js';
import type { KeyConfig } from '../../src/tokens/keys.js';
import { createTokens } from '../../src/tokens/tokens.js';
import { AWA } from '../helpers/accounts.js';
import { ecPair, rsaPair } from '../helpers/keys.js';
import { craftToken, expectInvalidToken, readToken } from '../helpers/tokens.js';

/** The key of each algorithm. A text is a secret of the least length. */
const KEYS = {
  HS256: 'mango-32'.repeat(4),
  HS384: 'mango-48'.repeat(6),
  HS512: 'mango-64'.repeat(8),
  RS256: rsaPair,
  RS384: rsaPair,
  RS512: rsaPair,
  PS256: rsaPair,
  PS384: rsaPair,
  PS512: rsaPair,
  ES256: ecPair.prime256v1,
  ES384: ecPair.secp384r1,
  ES512: ecPair.secp521r1,
} as const satisfies Readonly<Record<string, string | (() => KeyPairKeyObjectResult)>>;

describe('algorithms', () => {
  it('are the twelve signature algorithms of RFC 7518', () => {
    expect(Object.keys(algorithms)).to.deep.equal(Object.keys(KEYS));
  });

  for (const [algorithm, make] of Object.entries(KEYS)) {
    const members = typeof make === 'string' ? { secret: make } : make();
    const type = 'secret' in members ? 'secret' : members.publicKey.asymmetricKeyType;
    it(`sign and verify with ${algorithm} and a key of type ${type}`, () => {
      const tokens = createTokens({ keys: [{ kid: 'k1', algorithm, ...members } as KeyConfig] });
      const token = tokens.issue(AWA);
      const { header, payload } = readToken(token);
      expect(header).to.deep.equal({ alg: algorithm, typ: 'at+jwt', kid: 'k1' });
      expect(tokens.verify(token)).to.deep.equal(payload);

      const key: KeyLike = 'secret' in members ? members.secret : members.privateKey;
      const other = craftToken({ header, payload: { ...payload, referencl: 'CNT-1002' }, key });
      expect(tokens.verify(other).referencl).to.equal('CNT-1002');
      const forged = other.replace(/[^.]+$/, token.split('.')[2] ?? '');
      expectInvalidToken(tokens.realm, () => tokens.verify(forged), 'its signature is not valid');
    });
  }
});
