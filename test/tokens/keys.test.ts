import { createSecretKey } from 'node:crypto';
import { expect } from 'chai';
import { type KeyConfig, keyOfSecret, keyRing } from '../../src/tokens/keys.js';
import { createTokens } from '../../src/tokens/tokens.js';
import { AWA } from '../helpers/accounts.js';
import {
  contentOf,
  ecPair,
  ed25519Pair,
  otherEcPair,
  pemOf,
  rsaPair,
  rsaPssPair,
  SECRET,
  shortRsaPair,
} from '../helpers/keys.js';
import { expectTypeError, thrownBy } from '../helpers/thrown.js';

const ALGORITHMS = 'HS256, HS384, HS512, RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512';
const RSA_ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];

/** Makes a ring of any configurations, even wrong ones. */
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

  it('gives a secret the same kid in every release, so that an update does not refuse older tokens', () => {
    expect(keyOfSecret(SECRET).kid).to.equal('Yq4rcNbpQV7W6V41');
    expect(keyOfSecret(`${SECRET}!`).kid).not.to.equal('Yq4rcNbpQV7W6V41');
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
    expect([...ring].map(([kid, key]) => [kid, key.kid, key.algorithm])).to.deep.equal([
      ['new', 'new', 'ES256'],
      ['old', 'old', 'HS256'],
      ['older', 'older', 'RS256'],
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

  it('refuses two keys with one kid', () => {
    const key = { kid: 'k1', algorithm: 'HS256', secret: SECRET };
    expectTypeError(() => ringOf(key, { ...key }), 'createTokens: two keys have the kid "k1".', SECRET);
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

  it('requires a kid for each key, in characters that a header can carry', () => {
    const kids = ['', 'clé-2026', '🔑', 'k\n1', 'k\u007f', 5, null, ['k1'], undefined];
    for (const config of [undefined, null, 'k1', ...kids.map((kid) => ({ kid, algorithm: 'HS256', secret: SECRET }))]) {
      expectTypeError(() => ringOf(config), 'createTokens: every key needs a kid, in visible ASCII.', SECRET);
    }
    for (const kid of ['k', ' ', '2026-01/a "b" \\c~', 'constructor', '__proto__']) {
      const tokens = createTokens({ keys: [{ kid, algorithm: 'HS256', secret: SECRET }] });
      expect(tokens.verify(tokens.issue(AWA)).sub, kid).to.equal(AWA.id);
    }
  });

  it('rejects the name of any other algorithm', () => {
    const names = [undefined, 5, '', 'none', 'hs256', 'HS257', 'RSA1_5', 'ES256K', 'EdDSA', 'constructor', ['HS256']];
    for (const algorithm of names) {
      expectBadKey({ algorithm, secret: SECRET }, `algorithm must be one of ${ALGORITHMS}.`, SECRET);
    }
  });

  it('refuses a key that is neither text nor a KeyObject', () => {
    const { publicKey, privateKey } = ecPair.prime256v1();
    const problem = "must be PEM text or a KeyObject (for a JWK: createPublicKey({ key, format: 'jwk' })).";
    for (const key of [undefined, null, 5, privateKey.export({ format: 'jwk' }), Buffer.from(pemOf(privateKey))]) {
      const content = contentOf(pemOf(privateKey));
      expectBadKey({ algorithm: 'ES256', publicKey: key }, `publicKey ${problem}`, ...content);
      if (key !== undefined) expectBadKey({ algorithm: 'ES256', publicKey, privateKey: key }, `privateKey ${problem}`);
    }
  });

  it('refuses text that is not PEM, does not repeat it, and keeps the reason as the cause', () => {
    const { privateKey, publicKey } = ecPair.prime256v1();
    for (const damaged of [pemOf(privateKey).replace(/\n.{9}/, '\nMAMAMAMAM'), pemOf(publicKey)]) {
      const key = { algorithm: 'ES256', publicKey, privateKey: damaged };
      expectBadKey(key, 'privateKey is not PEM text that can be read.', ...contentOf(damaged));
    }
    const error = thrownBy(() => ringOf({ kid: 'k1', algorithm: 'ES256', publicKey: SECRET }));
    expect(error).to.have.property('cause').instanceOf(Error);
  });

  it('names what a loader of variables left in the PEM text, or put in its place', () => {
    const { privateKey, publicKey } = ecPair.prime256v1();
    const lines = 'Write each line end as it is or as \\n.';
    const noBegin = 'It has no line -----BEGIN. Give the text of the file, not its path.';
    const cases: readonly (readonly [problem: string, ...forms: ((pem: string) => string)[]])[] = [
      [
        'Remove the quotes around it.',
        (pem) => `"${pem}"`,
        (pem) => `'${pem.trim()}'\r\n`,
        (pem) => `\`${pem}\``,
        (pem) => `${pem.trim()}"`,
        (pem) => JSON.stringify(pem),
        () => "'./keys/private.pem'",
      ],
      [
        `It has a backslash other than that of \\n, as in \\r\\n. ${lines}`,
        (pem) => pem.replaceAll('\n', '\\r\\n'),
        (pem) => pem.replaceAll('\n', '\\\\n'),
        (pem) => pem.replaceAll('\n', '\\\n'),
      ],
      [
        `It has no line end after -----BEGIN. ${lines}`,
        (pem) => pem.replaceAll('\n', ' '),
        (pem) => pem.replaceAll('\n', '\t'),
        (pem) => pem.replaceAll('\n', '\r'),
        (pem) => pem.replaceAll('\n', ''),
      ],
      ['Remove the white space before its lines.', (pem) => pem.replace(/^/gm, '  '), (pem) => ` ${pem}`],
      [
        'It has no line -----END, as when only its first line was read.',
        (pem) => pem.slice(0, 120),
        (pem) => `"${pem.split('\n')[0] ?? ''}`,
      ],
      [
        "It is base64 of PEM text. Decode it: Buffer.from(text, 'base64').toString().",
        (pem) => Buffer.from(pem).toString('base64'),
        (pem) => Buffer.from(pem).toString('base64url'),
        (pem) => Buffer.from(pem).toString('base64').replace(/.{76}/g, '$&\n'),
      ],
      ['It is empty.', () => '', () => ' \n'],
      [noBegin, () => './keys/private.pem', () => 'C:\\new\\key.pem', () => SECRET, (pem) => contentOf(pem).join('')],
    ];
    for (const [problem, ...forms] of cases) {
      for (const form of forms) {
        for (const [half, key] of [
          ['publicKey', publicKey],
          ['privateKey', privateKey],
        ] as const) {
          const text = form(pemOf(key));
          const secrets = [...contentOf(pemOf(key)), SECRET, ...(text.length > 50 ? [text.slice(40, 70)] : [])];
          const members = { algorithm: 'ES256', publicKey, [half]: text };
          expectBadKey(members, `${half} is not PEM text that can be read. ${problem}`, ...secrets);
        }
      }
    }
  });

  it('refuses a private key in place of the public one, in every form of PEM', () => {
    const [rsa, ec] = [rsaPair().privateKey, ecPair.prime256v1().privateKey];
    for (const publicKey of [
      pemOf(rsa),
      rsa.export({ type: 'pkcs1', format: 'pem' }).toString(),
      pemOf(rsa).replaceAll('\n', '\\n'),
      ec.export({ type: 'sec1', format: 'pem' }).toString(),
      pemOf(rsaPair().publicKey) + pemOf(ec),
      ec.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-128-cbc', passphrase: 'mangrove' }).toString(),
    ]) {
      expectBadKey(
        { algorithm: 'RS256', publicKey },
        'publicKey holds a private key. Give the public half, so that the other stays secret.',
        ...contentOf(publicKey.replaceAll('\\n', '\n')),
      );
    }
  });

  it('says that an encrypted private key has to be decrypted', () => {
    const { privateKey, publicKey } = ecPair.prime256v1();
    for (const type of ['pkcs8', 'sec1'] as const) {
      const cipher = { cipher: 'aes-128-cbc', passphrase: 'mangrove' };
      const encrypted = privateKey.export({ type, format: 'pem', ...cipher }).toString();
      expectBadKey(
        { algorithm: 'ES256', publicKey, privateKey: encrypted },
        'privateKey is not PEM text that can be read. It is encrypted. Decrypt it with createPrivateKey, and give the KeyObject.',
        ...contentOf(encrypted),
      );
    }
  });

  it('refuses an RSA key of less than 2048 bits', () => {
    const { privateKey, publicKey } = shortRsaPair();
    for (const algorithm of RSA_ALGORITHMS) {
      const problem = `${algorithm} needs 2048 bits or more.`;
      expectBadKey({ algorithm, publicKey }, problem);
      expectBadKey({ algorithm, publicKey: rsaPair().publicKey, privateKey }, problem, ...contentOf(pemOf(privateKey)));
    }
  });

  it('refuses a key of another family, even one of type rsa-pss', () => {
    const [rsa, ec, ed25519] = [rsaPair(), ecPair.prime256v1(), ed25519Pair()];
    const remedy = "Make one with generateKeyPairSync('rsa', { modulusLength: 3072 }) or openssl genrsa 3072.";
    for (const algorithm of RSA_ALGORITHMS) {
      const problem = `${algorithm} needs an RSA key of type rsa. ${remedy}`;
      expectBadKey({ algorithm, publicKey: ec.publicKey }, problem);
      expectBadKey({ algorithm, ...rsa, privateKey: ec.privateKey }, problem);
      expectBadKey({ algorithm, ...rsaPssPair() }, problem);
    }
    for (const pair of [rsa, ed25519]) {
      expectBadKey({ algorithm: 'ES256', ...pair }, 'ES256 needs a key on curve prime256v1.');
    }
  });

  it('refuses a private key and a public key that are not a pair, and names the key', () => {
    const { publicKey } = ecPair.prime256v1();
    const { privateKey } = otherEcPair();
    const good = { kid: 'good', algorithm: 'HS256', secret: SECRET };
    expectTypeError(
      () => ringOf(good, { kid: 'bad', algorithm: 'ES256', publicKey, privateKey }),
      'createTokens: key "bad": privateKey and publicKey are not of one pair.',
      ...contentOf(pemOf(privateKey)),
      SECRET,
    );
  });

  it('reads a pair from PEM as an environment has it', () => {
    const { publicKey, privateKey } = ecPair.prime256v1();
    const pem = { privateKey: pemOf(privateKey), publicKey: pemOf(publicKey) };
    const written = (write: (text: string) => string) => ({
      privateKey: write(pem.privateKey),
      publicKey: write(pem.publicKey),
    });
    const verifier = createTokens({ keys: [{ kid: 'k1', algorithm: 'ES256', publicKey }] });
    for (const form of [
      pem,
      written((text) => text.replaceAll('\n', '\\n')),
      written((text) => text.replaceAll('\n', '\r\n')),
      written((text) => text.trim()),
      { ...pem, publicKey },
    ]) {
      const tokens = createTokens({ keys: [{ kid: 'k1', algorithm: 'ES256', ...form }] });
      expect(verifier.verify(tokens.issue(AWA)).sub).to.equal(AWA.id);
    }
  });
});
