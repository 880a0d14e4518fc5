import { execSync } from 'node:child_process';
import { createSecretKey } from 'node:crypto';
import { expect } from 'chai';
import { requireSecretOfEnvironment, secretKey } from '../../src/tokens/secrets.js';
import { createTokens } from '../../src/tokens/tokens.js';
import { collectWarnings } from '../helpers/diagnostics.js';
import { contentOf, ecPair, pemOf, rsaPair, SECRET } from '../helpers/keys.js';
import { expectTypeError } from '../helpers/thrown.js';
import { setVariable } from '../helpers/variables.js';

const COMMAND = `node -e "console.log(require('node:crypto').randomBytes(64).toString('base64url'))"`;
const HINT = `This command makes one: ${COMMAND}`;
const TOO_UNIFORM = `the secret has fewer than 5 distinct bytes, so it can be guessed. ${HINT}`;

/** Makes the key of a secret of HS256. */
function keyOf(secret: unknown) {
  return secretKey('createThing', secret, 'HS256');
}

describe('requireSecretOfEnvironment', () => {
  const before = process.env['JWT_SECRET'];

  afterEach('restore JWT_SECRET', () => {
    process.env['JWT_SECRET'] = before;
  });

  it('says what to do when JWT_SECRET is not set or empty, unless there are keys', () => {
    const message =
      'createTokens: no secret. Set the environment variable JWT_SECRET, or give { secret } or { keys }. ' + HINT;
    process.env['JWT_SECRET'] = '';
    expectTypeError(() => createTokens(), message);
    delete process.env['JWT_SECRET'];
    expectTypeError(() => createTokens({ secret: undefined as never }), message);
    createTokens({ keys: [{ kid: 'k1', algorithm: 'HS256', secret: SECRET }] });
  });

  it('names the byte order mark before the name of the variable, as in a file that begins with one', () => {
    setVariable('JWT_SECRET', undefined);
    setVariable('\uFEFFJWT_SECRET', SECRET);
    const problem = 'a byte order mark is before the name JWT_SECRET. Save its file without this mark.';
    expectTypeError(() => createTokens(), `createTokens: ${problem}`, SECRET);
    setVariable('JWT_SECRET', SECRET);
    expect(requireSecretOfEnvironment()).to.equal(SECRET);
  });

  it('names a command that makes a good secret', () => {
    createTokens({ secret: execSync(COMMAND, { encoding: 'utf8' }).trim() });
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
    const pems = [rsaPair().publicKey, ecPair.prime256v1().privateKey].map(pemOf);
    for (const pem of pems) {
      for (const secret of [pem, Buffer.from(pem), createSecretKey(Buffer.from(pem)), pem.replaceAll('\n', '\\n')]) {
        expectTypeError(
          () => keyOf(secret),
          'createThing: secret holds a PEM key. Give it as publicKey and privateKey, because a public key is not secret.',
          ...contentOf(pem),
        );
      }
    }
  });

  it('requires 32, 48 or 64 bytes of UTF-8, and does not show the secret', () => {
    for (const [algorithm, minBytes] of [
      ['HS256', 32],
      ['HS384', 48],
      ['HS512', 64],
    ] as const) {
      const secret = 'éèêëç'.repeat(9).slice(0, minBytes / 2 - 1);
      expect(secretKey('createThing', `${secret}ou`, algorithm).symmetricKeySize).to.equal(minBytes);
      expectTypeError(
        () => secretKey('createThing', `${secret}o`, algorithm),
        `createThing: ${algorithm} needs a secret of at least ${minBytes} bytes, this one has ${minBytes - 1}. ${HINT}`,
        secret,
      );
    }
  });

  it('requires 5 distinct bytes, and does not show the secret', () => {
    // Each of the last characters has two bytes, of which the first is the same.
    for (const secret of ['a'.repeat(32), 'xyz '.repeat(20), 'éèê'.repeat(16)]) {
      const bytes = Buffer.from(secret);
      for (const form of [secret, bytes, createSecretKey(bytes)]) {
        expectTypeError(() => keyOf(form), `createThing: ${TOO_UNIFORM}`, secret);
      }
    }
    for (const secret of ['abcde'.repeat(7), 'éèêë'.repeat(8)]) expect(keyOf(secret).type).to.equal('secret');
  });

  it('refuses a weak secret of createTokens and of a key set, even an empty one', () => {
    const secret = 'abab'.repeat(16);
    expectTypeError(() => createTokens({ secret }), `createTokens: the secret: ${TOO_UNIFORM}`, secret);
    const keys = [{ kid: 'k1', algorithm: 'HS512', secret }] as const;
    expectTypeError(() => createTokens({ keys }), `createTokens: key "k1": ${TOO_UNIFORM}`, secret);
    const problem = `HS256 needs a secret of at least 32 bytes, this one has 0. ${HINT}`;
    expectTypeError(() => createTokens({ secret: '' }), `createTokens: the secret: ${problem}`);
  });

  it('refuses a value that is not a secret, even null', () => {
    const { privateKey, publicKey } = ecPair.prime256v1();
    for (const secret of [null, 5, true, {}, [SECRET], new ArrayBuffer(32), () => SECRET, privateKey, publicKey]) {
      const problem = 'secret must be a string, a Uint8Array or a secret KeyObject.';
      expectTypeError(() => createTokens({ secret: secret as never }), `createTokens: the secret: ${problem}`, SECRET);
    }
  });
});

describe('a secret with characters that a loader of variables left', () => {
  const LEFT: readonly (readonly [before: string, after: string, names: string])[] = [
    ['"', '"', 'quotes'],
    ["'", "'", 'quotes'],
    ['"', '"\r', 'quotes and a line end'],
    ['', '\r', 'a line end'],
    ['', '\r\n', 'a line end'],
    ['', ' ', 'white space'],
    ['\uFEFF', '', 'white space'],
    ['\t', '\n', 'a line end and white space'],
  ];

  it('causes a warning that names them and not the secret, and stays as it is', () => {
    const warnings = collectWarnings();
    for (const [before, after] of LEFT) {
      const secret = before + SECRET + after;
      expect(keyOf(secret).export().toString('utf8')).to.equal(secret);
    }
    const removed = 'A process whose loader removes this refuses the tokens of this one.';
    const expected = LEFT.map(([, , names]) => `createThing: ${names} at an end of the secret. ${removed}`);
    expect(warnings).to.deep.equal(expected);
  });

  it('causes no warning when they are inside, or when the secret is bytes', () => {
    const warnings = collectWarnings();
    const half = SECRET.slice(16);
    for (const inside of ['"', ' ', '\r\n', '\uFEFF']) {
      keyOf(half + inside + half);
      keyOf(Buffer.from(SECRET + inside));
    }
    expect(warnings).to.deep.equal([]);
  });
});
