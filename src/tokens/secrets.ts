import { createSecretKey, type KeyObject } from 'node:crypto';
import { types } from 'node:util';
import { emitPackageWarning } from '../events/warning.js';
import { type Algorithm, type AlgorithmEntry, algorithms } from './algorithms.js';

/** A shared secret. Text is used as UTF-8. */
export type SecretInput = string | Uint8Array | KeyObject;

/** With fewer, a secret is a placeholder such as `aaaa...`. */
export const MIN_DISTINCT_BYTES = 5;

/** Characters at the ends of a value that some loaders of environment variables keep, and others remove. */
const LEFT_OVERS = { quotes: /^["'`]|["'`]$/, 'a line end': /^[\r\n]|[\r\n]$/, 'white space': /^[^\S\r\n]|[^\S\r\n]$/ };

const MAKE_ONE = `This command makes one: node -e "console.log(require('node:crypto').randomBytes(64).toString('base64url'))"`;

export function secretOfEnvironment(): string | undefined {
  const secret = process.env['JWT_SECRET'];
  return secret === '' ? undefined : secret;
}

/** @throws TypeError when `JWT_SECRET` is unset or empty */
export function requireSecretOfEnvironment(): string {
  const secret = secretOfEnvironment();
  if (secret !== undefined) return secret;
  if ('\uFEFFJWT_SECRET' in process.env) {
    throw new TypeError(
      'createTokens: a byte order mark is before the name JWT_SECRET. Save its file without this mark.',
    );
  }
  throw new TypeError(
    `createTokens: no secret. Set the environment variable JWT_SECRET, or give { secret } or { keys }. ${MAKE_ONE}`,
  );
}

/** @throws TypeError for a secret that is too short for the algorithm, too uniform, or a PEM key */
export function secretKey(where: string, secret: unknown, algorithm: Algorithm): KeyObject {
  const isText = typeof secret === 'string';
  if (!isText && !types.isUint8Array(secret) && !(types.isKeyObject(secret) && secret.type === 'secret')) {
    throw new TypeError(`${where}: secret must be a string, a Uint8Array or a secret KeyObject.`);
  }
  const key = types.isKeyObject(secret) ? secret : createSecretKey(isText ? Buffer.from(secret, 'utf8') : secret);
  const bytes = key.export();
  if (bytes.includes('-----BEGIN ')) {
    throw new TypeError(
      `${where}: secret holds a PEM key. Give it as publicKey and privateKey, because a public key is not secret.`,
    );
  }
  const { minBytes } = algorithms[algorithm] as Extract<AlgorithmEntry, { kind: 'secret' }>;
  if (bytes.length < minBytes) {
    throw new TypeError(
      `${where}: ${algorithm} needs a secret of at least ${minBytes} bytes, this one has ${bytes.length}. ${MAKE_ONE}`,
    );
  }
  if (new Set(bytes).size < MIN_DISTINCT_BYTES) {
    throw new TypeError(
      `${where}: the secret has fewer than ${MIN_DISTINCT_BYTES} distinct bytes, so it can be guessed. ${MAKE_ONE}`,
    );
  }
  const found = Object.entries(LEFT_OVERS).filter(([, pattern]) => isText && pattern.test(secret));
  // Removing them would refuse the tokens of a running service.
  if (found.length > 0) {
    const names = found.map(([name]) => name).join(' and ');
    emitPackageWarning(
      'EMA_SECRET',
      `${where}: ${names} at an end of the secret. A process whose loader removes this refuses the tokens of this one.`,
    );
  }
  return key;
}
