import { execSync } from 'node:child_process';
import { createSecretKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { secretKey, secretOfEnvironment } from '../../src/tokens/secrets.js';
import { createTokens } from '../../src/tokens/tokens.js';
import { AWA } from '../helpers/accounts.js';
import { ecPair, rsaPair } from '../helpers/keys.js';
import { expectTypeError } from '../helpers/thrown.js';

const COMMAND = `node -e "console.log(require('node:crypto').randomBytes(64).toString('base64url'))"`;
const HINT = `This command makes one: ${COMMAND}`;
const SECRET = 'mangrove-mangrove-mangrove-32-by';

/** Makes the key of a secret of HS256. */
function keyOf(secret: unknown) {
  return secretKey('createThing', secret, 'HS256');
}

describe('secretOfEnvironment', () => {
  const before = process.env['JWT_SECRET'];

  afterEach('restore JWT_SECRET', () => {
    process.env['JWT_SECRET'] = before;
  });

  it('returns JWT_SECRET', () => {
    process.env['JWT_SECRET'] = SECRET;
    expect(secretOfEnvironment()).to.equal(SECRET);
  });

  const message =
    'createTokens: no secret. Set the environment variable JWT_SECRET, or give { secret } or { keys }. ' + HINT;

  it('says what to do when JWT_SECRET is not set', () => {
    delete process.env['JWT_SECRET'];
    expectTypeError(secretOfEnvironment, message);
    expectTypeError(() => createTokens(), message);
    expectTypeError(() => createTokens({ secret: undefined as never }), message);
  });

  it('treats an empty JWT_SECRET as not set', () => {
    process.env['JWT_SECRET'] = '';
    expectTypeError(() => createTokens(), message);
  });

  it('is not called when there are keys', () => {
    delete process.env['JWT_SECRET'];
    const tokens = createTokens({ keys: [{ kid: 'k1', algorithm: 'HS256', secret: SECRET }] });
    expect(tokens.verify(tokens.issue(AWA)).sub).to.equal(AWA.id);
  });

  it('leads to an error for a weak JWT_SECRET, which does not show it', () => {
    process.env['JWT_SECRET'] = 'hunter2';
    expectTypeError(
      () => createTokens(),
      `createTokens: the secret: HS256 needs a secret of at least 32 bytes, this one has 7. ${HINT}`,
      'hunter2',
    );
  });

  it('names a command that makes a good secret, a different one each time (ASVS 11.5.1)', function () {
    this.slow(1_000);
    const [one, other] = [execSync(COMMAND, { encoding: 'utf8' }), execSync(COMMAND, { encoding: 'utf8' })];
    expect(one).not.to.equal(other);
    expect(createTokens({ secret: one.trim() }).issue(AWA).split('.')).to.have.length(3);
  });
});

describe('secretKey', () => {
  it('makes a key of the bytes of a secret in each of its forms', () => {
    const bytes = Buffer.from(SECRET);
    for (const form of [SECRET, bytes, new Uint8Array(bytes), createSecretKey(bytes)]) {
      expect(keyOf(form).export().toString('utf8')).to.equal(SECRET);
    }
  });

  it('refuses a PEM key, because everybody can know a public key', () => {
    const { publicKey } = rsaPair();
    const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string;
    for (const secret of [pem, Buffer.from(pem), createSecretKey(Buffer.from(pem)), pem.replaceAll('\n', '\\n')]) {
      expectTypeError(
        () => keyOf(secret),
        'createThing: secret holds a PEM key. Give it as publicKey and privateKey, because a public key is not secret.',
      );
    }
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    const privatePem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    expectTypeError(
      () => keyOf(privatePem),
      'createThing: secret holds a PEM key. Give it as publicKey and privateKey, because a public key is not secret.',
      ...privatePem.split('\n').slice(1, -2),
    );
  });

  it('requires 32, 48 or 64 bytes', () => {
    for (const [algorithm, minBytes] of [
      ['HS256', 32],
      ['HS384', 48],
      ['HS512', 64],
    ] as const) {
      const secret = randomBytes(minBytes);
      expect(secretKey('createThing', secret, algorithm).symmetricKeySize).to.equal(minBytes);
      expectTypeError(
        () => secretKey('createThing', secret.subarray(1), algorithm),
        `createThing: ${algorithm} needs a secret of at least ${minBytes} bytes, this one has ${minBytes - 1}. ${HINT}`,
        secret.toString('hex'),
      );
    }
  });

  it('counts the UTF-8 bytes of a secret, not its characters', () => {
    expect(keyOf('éèêëçàâùüï'.slice(0, 8).repeat(2)).symmetricKeySize).to.equal(32);
    expect(keyOf('🔑🔒🗝️🔐'.repeat(2)).symmetricKeySize).to.equal(38);
    const short = `${'éèêëç'.repeat(3)}e`;
    expectTypeError(
      () => keyOf(short),
      `createThing: HS256 needs a secret of at least 32 bytes, this one has 31. ${HINT}`,
      short,
    );
  });

  it('requires 5 distinct bytes, and does not show the secret', () => {
    const message = `createThing: the secret has fewer than 5 distinct bytes, so it can be guessed. ${HINT}`;
    const uniform = ['a'.repeat(32), 'change-me'.slice(0, 4).repeat(16), 'xyz '.repeat(20), '0'.repeat(500)];
    for (const secret of uniform) {
      const bytes = Buffer.from(secret);
      for (const form of [secret, bytes, createSecretKey(bytes)]) expectTypeError(() => keyOf(form), message, secret);
    }
    // Each of these characters has two bytes, of which the first is the same.
    expectTypeError(() => keyOf('éèê'.repeat(16)), message, 'éèê');
    expectTypeError(() => keyOf(Buffer.alloc(64)), message);
    for (const secret of ['abcde'.repeat(7), 'éèêë'.repeat(8), Buffer.from('abcde'.padEnd(64, 'a'))]) {
      expect(keyOf(secret).type).to.equal('secret');
    }
  });

  it('refuses a weak secret of createTokens and of a key set', () => {
    const secret = 'abab'.repeat(16);
    const problem = `the secret has fewer than 5 distinct bytes, so it can be guessed. ${HINT}`;
    expectTypeError(() => createTokens({ secret }), `createTokens: the secret: ${problem}`, secret);
    const keys = [{ kid: 'k1', algorithm: 'HS512', secret }] as const;
    expectTypeError(() => createTokens({ keys }), `createTokens: key "k1": ${problem}`, secret);
    const tokens = createTokens({ secret: SECRET });
    expectTypeError(() => tokens.replaceKeys(keys), `createTokens: key "k1": ${problem}`, secret);
  });

  it('refuses an empty secret, and does not use the one of the environment', () => {
    expectTypeError(
      () => createTokens({ secret: '' }),
      `createTokens: the secret: HS256 needs a secret of at least 32 bytes, this one has 0. ${HINT}`,
    );
  });

  it('refuses a value that is not a secret, also null', () => {
    const { privateKey, publicKey } = ecPair.prime256v1();
    for (const secret of [null, 5, true, {}, [SECRET], new ArrayBuffer(32), () => SECRET, privateKey, publicKey]) {
      expectTypeError(
        () => createTokens({ secret: secret as never }),
        'createTokens: the secret: secret must be a string, a Uint8Array or a secret KeyObject.',
        SECRET,
      );
    }
  });
});
