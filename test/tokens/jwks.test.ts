import {
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  type RSAPSSKeyPairKeyObjectOptions,
  sign,
  verify,
  constants,
} from 'node:crypto';
import { expect } from 'chai';
import { type Algorithm, algorithms } from '../../src/tokens/algorithms.js';
import type { KeyConfig } from '../../src/tokens/keys.js';
import { createTokens } from '../../src/tokens/tokens.js';
import { ecPair, otherEcPair, otherRsaPair, pemOf, rsaPair, rsaPssPair } from '../helpers/keys.js';

const SECRET = 'mangrove-mangrove-mangrove-mangrove-mangrove-mangrove-mangrove-64';
const BASE64URL_OF_SECRET = Buffer.from(SECRET).toString('base64url');

/** A key pair of each kind that a ring takes. */
const PAIRS = [
  ...(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const).map(
    (algorithm) => [algorithm, rsaPair] as const,
  ),
  ['PS256', rsaPssPair[256]],
  ['PS384', rsaPssPair[384]],
  ['PS512', rsaPssPair[512]],
  ['ES256', ecPair.prime256v1],
  ['ES384', ecPair.secp384r1],
  ['ES512', ecPair.secp521r1],
] as const;

const MEMBERS = { RSA: ['kty', 'kid', 'use', 'alg', 'n', 'e'], EC: ['kty', 'kid', 'use', 'alg', 'crv', 'x', 'y'] };

function hmacKey(algorithm: Extract<Algorithm, `HS${string}`>): KeyConfig {
  return { kid: `secret of ${algorithm}`, algorithm, secret: SECRET };
}

function kidsOf(tokens: ReturnType<typeof createTokens>): string[] {
  return tokens.jwks().keys.map(({ kid }) => kid);
}

/** Asserts that a key of type rsa verifies what the private key of type rsa-pss signs. */
function expectVerifies(published: KeyObject, privateKey: KeyObject, hash: string): void {
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
  const data = Buffer.from('baobab');
  const signature = sign(hash, data, { key: privateKey, ...padding });
  expect(verify(hash, data, { key: published, ...padding }, signature)).to.equal(true);
}

describe('jwks', () => {
  it('has the members of RFC 7517 for a key of RS256', () => {
    const { n, e } = rsaPair().publicKey.export({ format: 'jwk' });
    expect(createTokens({ keys: [{ kid: 'k1', algorithm: 'RS256', ...rsaPair() }] }).jwks()).to.deep.equal({
      keys: [{ kty: 'RSA', kid: 'k1', use: 'sig', alg: 'RS256', n, e }],
    });
    expect(Buffer.from(n ?? '', 'base64url')).to.have.length(256);
  });

  for (const [algorithm, pair, crv, bytes] of [
    ['ES256', ecPair.prime256v1, 'P-256', 32],
    ['ES384', ecPair.secp384r1, 'P-384', 48],
    ['ES512', ecPair.secp521r1, 'P-521', 66],
  ] as const) {
    it(`has the members of RFC 7517 for a key of ${algorithm}`, () => {
      const { x, y } = pair().publicKey.export({ format: 'jwk' });
      expect(createTokens({ keys: [{ kid: 'k1', algorithm, ...pair() }] }).jwks()).to.deep.equal({
        keys: [{ kty: 'EC', kid: 'k1', use: 'sig', alg: algorithm, crv, x, y }],
      });
      for (const coordinate of [x, y]) expect(Buffer.from(coordinate ?? '', 'base64url')).to.have.length(bytes);
    });
  }

  for (const [algorithm, pair] of PAIRS) {
    const type = pair().publicKey.asymmetricKeyType ?? '';
    it(`holds the public key of ${algorithm} with a key of type ${type}, and nothing private`, () => {
      const { publicKey, privateKey } = pair();
      for (const config of [
        { publicKey, privateKey },
        { publicKey: pemOf(publicKey), privateKey: pemOf(privateKey) },
        { publicKey },
      ]) {
        const [jwk] = createTokens({ keys: [{ kid: 'k1', algorithm, ...config }] }).jwks().keys;
        if (jwk === undefined) throw new Error('The set is empty.');
        expect(Object.keys(jwk)).to.deep.equal(MEMBERS[jwk.kty]);
        expect(jwk).to.include({ kid: 'k1', use: 'sig', alg: algorithm });
        const published = createPublicKey({ key: { ...jwk }, format: 'jwk' });
        if (type === 'rsa-pss') expectVerifies(published, privateKey, `sha${algorithm.slice(2)}`);
        else expect(published.equals(publicKey)).to.equal(true);
      }
    });
  }

  it('reads a key of type rsa-pss also when its parts have other lengths', () => {
    const hash = { hashAlgorithm: 'sha256', mgf1HashAlgorithm: 'sha256', saltLength: 32 };
    for (const size of [{ modulusLength: 2056 }, { modulusLength: 2048, publicExponent: 3 }]) {
      const options = { ...size, ...hash } as object as RSAPSSKeyPairKeyObjectOptions;
      const { publicKey, privateKey } = generateKeyPairSync('rsa-pss', options);
      const [jwk] = createTokens({ keys: [{ kid: 'k1', algorithm: 'PS256', publicKey }] }).jwks().keys;
      expectVerifies(createPublicKey({ key: { ...jwk }, format: 'jwk' }), privateKey, 'sha256');
    }
  });

  it('is empty for secrets', () => {
    const rings = [{ secret: SECRET }, {}, { keys: (['HS256', 'HS384', 'HS512'] as const).map(hmacKey) }];
    for (const options of rings) expect(createTokens(options).jwks()).to.deep.equal({ keys: [] });
  });

  it('has only the pairs of a mixed ring, in their order, also those that only verify', () => {
    const { publicKey } = otherRsaPair();
    const tokens = createTokens({
      keys: [
        hmacKey('HS256'),
        { kid: 'z', algorithm: 'ES256', ...ecPair.prime256v1() },
        hmacKey('HS512'),
        { kid: 'a', algorithm: 'PS256', publicKey },
      ],
    });
    expect(kidsOf(tokens)).to.deep.equal(['z', 'a']);
    const text = JSON.stringify(tokens.jwks());
    expect(text).not.to.include('secret of HS').and.not.to.include(SECRET).and.not.to.include(BASE64URL_OF_SECRET);
  });

  it('follows replaceKeys', () => {
    const current: KeyConfig = { kid: 'current', algorithm: 'ES256', ...ecPair.prime256v1() };
    const next: KeyConfig = { kid: 'next', algorithm: 'ES256', ...otherEcPair() };
    const tokens = createTokens({ keys: [current] });
    const steps = [[current, next], [next, current], [next], [hmacKey('HS256')]];
    for (const keys of steps) {
      tokens.replaceKeys(keys);
      const pairs = keys.filter(({ algorithm }) => algorithm === 'ES256');
      expect(kidsOf(tokens)).to.deep.equal(pairs.map(({ kid }) => kid));
    }
    tokens.replaceKeys([next]);
    expect(() => tokens.replaceKeys([])).to.throw(TypeError);
    expect(kidsOf(tokens)).to.deep.equal(['next']);
  });

  it('is a new object each time, so that a caller who changes it changes nothing else', () => {
    const tokens = createTokens({ keys: [{ kid: 'k1', algorithm: 'RS256', ...rsaPair() }] });
    const { keys } = tokens.jwks();
    const before = structuredClone(keys);
    Object.assign(keys[0] ?? {}, { kid: 'changed', n: 'AQAB' });
    keys.length = 0;
    expect(tokens.jwks().keys).to.deep.equal(before);
  });

  it('knows every asymmetric algorithm', () => {
    const asymmetric = Object.entries(algorithms).filter(([, { kind }]) => kind !== 'secret');
    expect(new Set(PAIRS.map(([algorithm]) => algorithm))).to.deep.equal(new Set(asymmetric.map(([name]) => name)));
  });
});
