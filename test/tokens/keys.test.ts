import { createPrivateKey, createPublicKey, createSecretKey } from 'node:crypto';
import { expect } from 'chai';
import { type KeyConfig, keyOfSecret, keyRing } from '../../src/tokens/keys.js';
import { createTokens } from '../../src/tokens/tokens.js';
import { AWA } from '../helpers/accounts.js';
import {
  contentOf,
  ecPair,
  ed25519Pair,
  mixedRsaPssPair,
  otherEcPair,
  otherRsaPair,
  pemOf,
  rsaPair,
  rsaPssPair,
  saltyRsaPssPair,
  shortRsaPair,
  unboundRsaPssPair,
} from '../helpers/keys.js';
import { expectTypeError, thrownBy } from '../helpers/thrown.js';
import { readToken } from '../helpers/tokens.js';

const COMMAND = `node -e "console.log(require('node:crypto').randomBytes(64).toString('base64url'))"`;
const ALGORITHMS = 'HS256, HS384, HS512, RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512';
const SECRET = 'mangrove-mangrove-mangrove-32-by';

/** Makes a ring of any configurations, also wrong ones. */
function ringOf(...configs: readonly unknown[]) {
  return keyRing(configs as readonly KeyConfig[]);
}

/** Asserts that the key `k1` is refused with this message. */
function expectBadKey(members: object, problem: string, ...secrets: readonly string[]): void {
  expectTypeError(() => ringOf({ kid: 'k1', ...members }), `createTokens: key "k1": ${problem}`, ...secrets);
}

describe('keyOfSecret', () => {
  it('makes a key of HS256 that signs and verifies', () => {
    const key = keyOfSecret(SECRET);
    expect(key.algorithm).to.equal('HS256');
    expect(key.signingKey).to.equal(key.verifyingKey);
    expect(key.verifyingKey.export().toString('utf8')).to.equal(SECRET);
  });

  it('gives the same kid to the same secret in each of its forms', () => {
    const { kid } = keyOfSecret(SECRET);
    expect(kid).to.match(/^[\w-]{16}$/);
    const bytes = Buffer.from(SECRET);
    for (const form of [SECRET, bytes, new Uint8Array(bytes), createSecretKey(bytes)]) {
      expect(keyOfSecret(form).kid).to.equal(kid);
    }
    expect(keyOfSecret(`${SECRET}!`).kid).not.to.equal(kid);
  });

  it('gives a secret the same kid in every release, so that an update does not refuse older tokens', () => {
    expect(keyOfSecret(SECRET).kid).to.equal('Yq4rcNbpQV7W6V41');
  });

  it('copies the given bytes', () => {
    const bytes = new Uint8Array(Buffer.from(SECRET));
    const tokens = createTokens({ secret: bytes });
    bytes.fill(0);
    expect(createTokens({ secret: SECRET }).verify(tokens.issue(AWA)).sub).to.equal(AWA.id);
  });
});

describe('keyRing', () => {
  it('contains the keys by their kid, in their order', () => {
    const ring = ringOf(
      { kid: 'new', algorithm: 'ES256', ...ecPair.prime256v1() },
      { kid: 'old', algorithm: 'HS256', secret: SECRET },
      { kid: 'older', algorithm: 'RS256', publicKey: rsaPair().publicKey },
    );
    expect([...ring.keys()]).to.deep.equal(['new', 'old', 'older']);
    expect([...ring.values()].map(({ kid, algorithm }) => `${kid} ${algorithm}`)).to.deep.equal([
      'new ES256',
      'old HS256',
      'older RS256',
    ]);
    expect(ring.get('older')?.signingKey).to.equal(undefined);
  });

  it('must be a list of at least one key', () => {
    for (const keys of [null, [], {}, new Map(), 'k1', new Set([{ kid: 'k1' }])]) {
      expectTypeError(
        () => keyRing(keys as never),
        'createTokens: keys must be a list of at least one key. The first signs, all verify.',
      );
    }
  });

  it('requires a kid for each key, in characters that a header can carry', () => {
    const kids = ['', 'clé-2026', 'ключ', '🔑', 'k\n1', 'k\u007f', 5, null, ['k1'], undefined];
    for (const config of [undefined, null, 'k1', ...kids.map((kid) => ({ kid, algorithm: 'HS256', secret: SECRET }))]) {
      expectTypeError(() => ringOf(config), 'createTokens: every key needs a kid, in visible ASCII.', SECRET);
    }
    for (const kid of ['k', ' ', '2026-01/a "b" \\c~']) {
      const tokens = createTokens({ keys: [{ kid, algorithm: 'HS256', secret: SECRET }] });
      expect(tokens.verify(tokens.issue(AWA)).sub, kid).to.equal(AWA.id);
    }
  });

  it('refuses two keys with one kid', () => {
    const key = { kid: 'k1', algorithm: 'HS256', secret: SECRET };
    expectTypeError(() => ringOf(key, { ...key }), 'createTokens: two keys have the kid "k1".', SECRET);
  });

  it('rejects the name of any other algorithm', () => {
    const names = [undefined, null, 5, '', 'none', 'hs256', 'HS257', 'EdDSA', 'constructor', '__proto__', ['HS256']];
    for (const algorithm of names) {
      expectBadKey({ algorithm, secret: SECRET }, `algorithm must be one of ${ALGORITHMS}.`, SECRET);
    }
  });

  it('requires a secret for HS256, HS384 and HS512', () => {
    const { privateKey, publicKey } = rsaPair();
    for (const secret of [undefined, null, 5, [SECRET], privateKey, publicKey]) {
      for (const algorithm of ['HS256', 'HS384', 'HS512']) {
        expectBadKey({ algorithm, secret }, 'secret must be a string, a Uint8Array or a secret KeyObject.', SECRET);
      }
    }
  });

  it('requires a secret that is as long as the hash', () => {
    for (const [algorithm, bytes] of [
      ['HS256', 32],
      ['HS384', 48],
      ['HS512', 64],
    ] as const) {
      const secret = 'secret of 64 bytes: '.padEnd(bytes - 1, 's');
      expectBadKey(
        { algorithm, secret },
        `${algorithm} needs a secret of at least ${bytes} bytes, this one has ${bytes - 1}. ` +
          `This command makes one: ${COMMAND}`,
        secret,
      );
      expect(ringOf({ kid: 'k1', algorithm, secret: `${secret}s` }).size).to.equal(1);
    }
  });

  it('requires the public key of a pair', () => {
    for (const publicKey of [undefined, null, 5, {}, Buffer.from(pemOf(rsaPair().publicKey))]) {
      expectBadKey(
        { algorithm: 'RS256', publicKey },
        "publicKey must be PEM text or a KeyObject (for a JWK: createPublicKey({ key, format: 'jwk' })).",
      );
    }
  });

  it('rejects null as a private key', () => {
    expectBadKey(
      { algorithm: 'ES256', publicKey: ecPair.prime256v1().publicKey, privateKey: null },
      "privateKey must be PEM text or a KeyObject (for a JWK: createPublicKey({ key, format: 'jwk' })).",
    );
  });

  it('refuses a KeyObject of another type', () => {
    const { privateKey, publicKey } = ecPair.prime256v1();
    const secret = createSecretKey(Buffer.from(SECRET));
    const content = contentOf(pemOf(privateKey));
    expectBadKey({ algorithm: 'ES256', publicKey: privateKey }, 'publicKey is a private KeyObject.', ...content);
    expectBadKey({ algorithm: 'ES256', publicKey: secret }, 'publicKey is a secret KeyObject.', SECRET);
    expectBadKey({ algorithm: 'ES256', publicKey, privateKey: publicKey }, 'privateKey is a public KeyObject.');
    expectBadKey({ algorithm: 'ES256', publicKey, privateKey: secret }, 'privateKey is a secret KeyObject.', SECRET);
  });

  it('refuses text that is not PEM, and does not repeat it', () => {
    const { privateKey, publicKey } = ecPair.prime256v1();
    const damaged = pemOf(publicKey).replace(/[A-Za-z]{4}/, '!!!!');
    for (const text of ['', 'mangrove', SECRET, damaged]) {
      const content = [...contentOf(damaged), SECRET, 'mangrove'];
      expectBadKey({ algorithm: 'ES256', publicKey: text }, 'publicKey is not PEM text that can be read.', ...content);
      expectBadKey(
        { algorithm: 'ES256', publicKey, privateKey: text },
        'privateKey is not PEM text that can be read.',
        ...content,
      );
    }
    const publicPem = pemOf(publicKey);
    expectBadKey(
      { algorithm: 'ES256', publicKey, privateKey: publicPem },
      'privateKey is not PEM text that can be read.',
    );
    const cut = pemOf(privateKey).slice(0, 120);
    expectBadKey(
      { algorithm: 'ES256', publicKey, privateKey: cut },
      'privateKey is not PEM text that can be read.',
      cut.slice(30, 60),
    );
  });

  it('keeps the reason why a PEM cannot be read as the cause', () => {
    const error = thrownBy(() => ringOf({ kid: 'k1', algorithm: 'ES256', publicKey: 'mangrove' }));
    expect(error).to.have.property('cause').instanceOf(Error);
  });

  it('refuses a private key in place of the public one, in every form of PEM', () => {
    const problem = 'publicKey holds a private key. Give the public half, so that the other stays secret.';
    const [rsa, ec] = [rsaPair().privateKey, ecPair.prime256v1().privateKey];
    const forms = [
      ['RS256', pemOf(rsa)],
      ['RS256', rsa.export({ type: 'pkcs1', format: 'pem' }).toString()],
      ['RS256', pemOf(rsa).replaceAll('\n', '\\n')],
      ['ES256', pemOf(ec)],
      ['ES256', ec.export({ type: 'sec1', format: 'pem' }).toString()],
      ['ES256', pemOf(ecPair.prime256v1().publicKey) + pemOf(ec)],
      ['ES256', ec.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-128-cbc', passphrase: 'mangrove' }).toString()],
    ] as const;
    for (const [algorithm, publicKey] of forms) {
      expectBadKey({ algorithm, publicKey }, problem, ...contentOf(publicKey.replaceAll('\\n', '\n')));
    }
  });

  it('says that an encrypted private key has to be decrypted', () => {
    const { privateKey, publicKey } = ecPair.prime256v1();
    const cipher = { cipher: 'aes-128-cbc', passphrase: 'mangrove' };
    const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'pem', ...cipher }).toString();
    const sec1 = privateKey.export({ type: 'sec1', format: 'pem', ...cipher }).toString();
    for (const encrypted of [pkcs8, sec1, pkcs8.replaceAll('\n', '\\n')]) {
      expectBadKey(
        { algorithm: 'ES256', publicKey, privateKey: encrypted },
        'privateKey is not PEM text that can be read without a passphrase. ' +
          'Decrypt it with createPrivateKey and give the KeyObject.',
        ...contentOf(encrypted.replaceAll('\\n', '\n')),
      );
    }
    const decrypted = createPrivateKey({ key: pkcs8, passphrase: 'mangrove' });
    expect(ringOf({ kid: 'k1', algorithm: 'ES256', publicKey, privateKey: decrypted }).size).to.equal(1);
  });

  it('refuses an RSA key of less than 2048 bits', () => {
    const { privateKey, publicKey } = shortRsaPair();
    const content = contentOf(pemOf(privateKey));
    for (const algorithm of ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']) {
      expectBadKey({ algorithm, publicKey }, `${algorithm} needs 2048 bits or more.`);
      expectBadKey({ algorithm, publicKey, privateKey }, `${algorithm} needs 2048 bits or more.`, ...content);
    }
    expectBadKey(
      { algorithm: 'RS256', publicKey: rsaPair().publicKey, privateKey },
      'RS256 needs 2048 bits or more.',
      ...content,
    );
  });

  it('refuses a key of another family', () => {
    const [rsa, ec, ed25519] = [rsaPair(), ecPair.prime256v1(), ed25519Pair()];
    for (const algorithm of ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']) {
      expectBadKey({ algorithm, publicKey: ec.publicKey }, `${algorithm} needs an RSA key.`);
      expectBadKey({ algorithm, publicKey: ed25519.publicKey }, `${algorithm} needs an RSA key.`);
      expectBadKey({ algorithm, ...rsa, privateKey: ec.privateKey }, `${algorithm} needs an RSA key.`);
    }
    for (const algorithm of ['RS256', 'RS384', 'RS512']) {
      expectBadKey({ algorithm, ...rsaPssPair[256]() }, `${algorithm} needs an RSA key.`);
    }
    expectBadKey({ algorithm: 'ES256', ...rsa }, 'ES256 needs a key on curve prime256v1.');
    expectBadKey({ algorithm: 'ES256', ...ed25519 }, 'ES256 needs a key on curve prime256v1.');
  });

  it('refuses a key on another curve', () => {
    const curves = { ES256: 'prime256v1', ES384: 'secp384r1', ES512: 'secp521r1' } as const;
    for (const [algorithm, curve] of Object.entries(curves)) {
      for (const [other, pair] of Object.entries(ecPair)) {
        const config = { kid: 'k1', algorithm, ...pair() };
        if (other === curve) expect(ringOf(config).size).to.equal(1);
        else expectBadKey(config, `${algorithm} needs a key on curve ${curve}.`);
      }
    }
  });

  it('refuses an RSA-PSS key that is bound to another hash', () => {
    const content = contentOf(pemOf(rsaPssPair[512]().privateKey));
    for (const algorithm of ['PS256', 'PS384']) {
      const problem = `${algorithm} needs an RSA key of type rsa, or one of type rsa-pss that is bound to its hash.`;
      expectBadKey({ algorithm, ...rsaPssPair[512]() }, problem, ...content);
      expectBadKey({ algorithm, publicKey: rsaPssPair[512]().publicKey }, problem);
    }
  });

  it('refuses an RSA-PSS key that jsonwebtoken cannot use', () => {
    const problem = 'PS256 needs an RSA key of type rsa, or one of type rsa-pss that is bound to its hash.';
    for (const pair of [unboundRsaPssPair(), saltyRsaPssPair(), mixedRsaPssPair()]) {
      expectBadKey({ algorithm: 'PS256', ...pair }, problem, ...contentOf(pemOf(pair.privateKey)));
    }
  });

  it('refuses a private key and a public key that are not a pair', () => {
    const problem = 'privateKey and publicKey are not of one pair.';
    const { publicKey } = rsaPair();
    const { privateKey } = otherRsaPair();
    expectBadKey({ algorithm: 'RS256', publicKey, privateKey }, problem, ...contentOf(pemOf(privateKey)));
    const ec = { publicKey: ecPair.prime256v1().publicKey, privateKey: otherEcPair().privateKey };
    expectBadKey({ algorithm: 'ES256', ...ec }, problem, ...contentOf(pemOf(ec.privateKey)));
  });

  it('names the key that is wrong, not the first one', () => {
    expectTypeError(
      () =>
        ringOf(
          { kid: 'good', algorithm: 'HS256', secret: SECRET },
          { kid: 'bad', algorithm: 'RS256', publicKey: 'mangrove' },
        ),
      'createTokens: key "bad": publicKey is not PEM text that can be read.',
      SECRET,
    );
  });

  it('reads keys from PEM in every form, and from JWK', () => {
    const { privateKey, publicKey } = rsaPair();
    const jwk = {
      privateKey: createPrivateKey({ key: privateKey.export({ format: 'jwk' }), format: 'jwk' }),
      publicKey: createPublicKey({ key: publicKey.export({ format: 'jwk' }), format: 'jwk' }),
    };
    const pem = { privateKey: pemOf(privateKey), publicKey: pemOf(publicKey) };
    const escaped = {
      privateKey: pem.privateKey.replaceAll('\n', '\\n'),
      publicKey: pem.publicKey.replaceAll('\n', '\\n'),
    };
    const pkcs1 = {
      privateKey: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
      publicKey: publicKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    };
    const verifier = createTokens({ keys: [{ kid: 'k1', algorithm: 'RS256', publicKey }] });
    for (const form of [jwk, pem, escaped, pkcs1, { ...pem, publicKey }]) {
      const tokens = createTokens({ keys: [{ kid: 'k1', algorithm: 'RS256', ...form }] });
      expect(verifier.verify(tokens.issue(AWA)).sub).to.equal(AWA.id);
    }
  });

  it('accepts names of Object.prototype as a kid', () => {
    for (const kid of ['constructor', '__proto__', 'toString']) {
      const tokens = createTokens({ keys: [{ kid, algorithm: 'HS256', secret: SECRET }] });
      const token = tokens.issue(AWA);
      expect(readToken(token).header).to.deep.equal({ alg: 'HS256', typ: 'at+jwt', kid });
      expect(tokens.verify(token).sub).to.equal(AWA.id);
    }
  });
});
