import fs from 'node:fs';
import { createPublicKey, createSecretKey, type JsonWebKey } from 'node:crypto';
import { expect } from 'chai';
import { type Algorithm, createTokens, type KeyConfig } from '../../src/index.js';
import { type Key, keyRing } from '../../src/tokens/keys.js';
import { createReadToken } from '../../src/tokens/passport-jwt.js';
import { parseTokensOptions } from '../../src/tokens/tokens-options.js';
import { Tokens } from '../../src/tokens/tokens.js';
import { INVALID_TOKEN } from '../helpers/answers.js';
import { thrownBy } from '../helpers/thrown.js';

// The vectors of C2SP/wycheproof, testvectors_v1/json_web_signature_test.json. They are not in this repository: name a
// copy of the file in WYCHEPROOF_JWS.

interface Jwk extends JsonWebKey {
  readonly kid?: string;
  readonly alg?: string;
}

interface Vector {
  readonly tcId: number;
  readonly comment: string;
  readonly jws: string;
  readonly result: 'valid' | 'invalid' | 'acceptable';
}

interface Vectors {
  readonly numberOfTests: number;
  readonly testGroups: readonly Group[];
}

interface Group {
  readonly comment: string;
  readonly private: Jwk;
  readonly public?: Jwk;
  readonly tests: readonly Vector[];
}

/** The keys that `keys.ts` refuses, by their algorithm. No token is verified with such a key. */
const REFUSED_KEYS: Readonly<Record<string, string>> = {
  ES521: 'no algorithm of RFC 7518: its name for a key on P-521 is ES512',
  none: 'a key for encryption names no algorithm, and every key here needs one',
};

/** Valid vectors that are refused, with the reason. */
const REFUSED_VALID: Readonly<Record<number, string>> = {
  259: 'an empty payload is not a set of claims',
  264: 'an empty payload is not a set of claims',
  268: 'an empty payload is not a set of claims',
  272: 'an empty payload is not a set of claims',
  320: 'an empty payload is not a set of claims',
  325: 'an empty payload is not a set of claims',
  346: 'the header says PS384 and the key PS256',
  350: 'the header says PS384 and the key PS256',
  372: 'a character that is not base64url',
  373: 'a character that is not base64url',
};

/** Invalid vectors whose signature is right. The rules on header and payload refuse them. */
const RIGHT_SIGNATURE: Readonly<Record<number, string>> = {
  367: 'the padding that its name speaks of is not in the file: it is the valid vector 357',
  370: 'the padding that its name speaks of is not in the file: it is the valid vector 357',
  375: 'the encoding of the payload has spare bits that are not zero, and was signed so',
};

const KID = 'vector';
const file = process.env['WYCHEPROOF_JWS'];

function keyOf(group: Group): KeyConfig {
  const jwk = group.public ?? group.private;
  const algorithm = jwk.alg as never;
  if (jwk.kty === 'oct') return { kid: KID, algorithm, secret: Buffer.from(jwk.k ?? '', 'base64url') };
  return { kid: KID, algorithm, publicKey: createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' }) };
}

/** Returns the secret of a group that createTokens refuses, because its 32 bytes are equal. */
function uniformSecretOf({ private: { kty, k = '' } }: Group): Buffer | undefined {
  const secret = Buffer.from(k, 'base64url');
  return kty === 'oct' && new Set(secret).size === 1 ? secret : undefined;
}

/** Makes the key of a group, even of one whose secret createTokens refuses, so that no vector is left out. */
function verifyingKeyOf(group: Group): Key {
  const secret = uniformSecretOf(group);
  if (secret === undefined) return keyRing([keyOf(group)]).get(KID) ?? expect.fail();
  const algorithm = group.private.alg as Algorithm;
  return { kid: KID, algorithm, verifyingKey: createSecretKey(secret), signingKey: undefined };
}

describe('Wycheproof, JSON Web Signature', () => {
  if (file === undefined) {
    it.skip('refuses every invalid vector of json_web_signature_test.json (name the file in WYCHEPROOF_JWS)');
    return;
  }
  const { testGroups, numberOfTests } = JSON.parse(fs.readFileSync(file, 'utf8')) as Vectors;
  let tried = 0;

  for (const [index, group] of testGroups.entries()) {
    const algorithm = (group.public ?? group.private).alg ?? 'none';
    describe(`group ${index} ${group.comment}, ${algorithm}`, () => {
      const reason = REFUSED_KEYS[algorithm];
      if (reason !== undefined) {
        it(`has a key that is refused: ${reason}`, () => {
          expect(thrownBy(() => createTokens({ keys: [keyOf(group)] }))).to.be.instanceOf(TypeError);
          tried += group.tests.length;
        });
        return;
      }
      if (uniformSecretOf(group) !== undefined) {
        it('has a secret that createTokens refuses', () => {
          expect(thrownBy(() => createTokens({ keys: [keyOf(group)] })))
            .to.be.instanceOf(TypeError)
            .with.property('message')
            .that.contains('fewer than 5 distinct bytes');
        });
      }
      const key = verifyingKeyOf(group);
      const tokens = new Tokens({ ...parseTokensOptions({ tokenCacheSize: 0 }), ring: new Map([[KID, key]]) });
      const algorithms = [key.algorithm];
      const readToken = createReadToken({ algorithms, keyOf: () => key, claimsOf: (payload) => ({ payload }) });
      for (const { tcId, comment, jws, result } of group.tests) {
        const exception = REFUSED_VALID[tcId] ?? RIGHT_SIGNATURE[tcId];
        const isExpected = tcId in RIGHT_SIGNATURE || (result === 'valid' && !(tcId in REFUSED_VALID));
        const verdict = isExpected ? 'finds the signature right' : 'finds no right signature';
        it(`${tcId} ${comment}, ${result}: ${verdict}${exception === undefined ? '' : `, since ${exception}`}`, () => {
          const verify = () => readToken(jws, (reason) => reason as Error);
          if (isExpected) verify();
          else thrownBy(verify);
          expect(thrownBy(() => tokens.verify(jws))).to.include({ code: INVALID_TOKEN });
          tried += 1;
        });
      }
    });
  }

  describe('the file', () => {
    it('has only vectors that were tried', () => {
      expect(tried).to.equal(numberOfTests);
    });
  });
});
