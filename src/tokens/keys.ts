import { createHmac, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { types } from 'node:util';
import { type Algorithm, type AlgorithmEntry, algorithms } from './algorithms.js';
import { type SecretInput, secretKey } from './secrets.js';

/** An asymmetric key: PEM text, or a KeyObject (for a JWK: `createPublicKey({ key, format: 'jwk' })`). */
export type KeyInput = string | KeyObject;

/** A key of the ring that is a secret. */
export interface SecretKeyConfig {
  /** The id in the header of the key's tokens (RFC 7515 section 4.1.4), unique in a ring. */
  readonly kid: string;
  /** The only algorithm of this key. */
  readonly algorithm: Extract<Algorithm, `HS${string}`>;
  /** At least 32, 48 or 64 bytes for HS256, HS384 and HS512. */
  readonly secret: SecretInput;
}

/** A key pair of the ring. Without `privateKey` it only verifies. */
export interface KeyPairConfig {
  /** The id in the header of the key's tokens (RFC 7515 section 4.1.4), unique in a ring. */
  readonly kid: string;
  /** The only algorithm of this key. An RSA key is of type `rsa`, for PS256 too. */
  readonly algorithm: Exclude<Algorithm, `HS${string}`>;
  /** Needed only by the first key of a ring that issues tokens. */
  readonly privateKey?: KeyInput;
  /** Verifies tokens. */
  readonly publicKey: KeyInput;
}

/** One key of the ring. */
export type KeyConfig = SecretKeyConfig | KeyPairConfig;

/** Made once: making a KeyObject costs far more than a signature. */
export interface Key {
  readonly kid: string;
  readonly algorithm: Algorithm;
  readonly verifyingKey: KeyObject;
  /** `undefined` for a key that only verifies. */
  readonly signingKey: KeyObject | undefined;
}

/** ASCII alone: jsonwebtoken does not encode other text in a header correctly. */
const KID = /^[\x20-\x7e]+$/;

const LINE_ENDS = 'Write each line end as it is or as \\n.';

/** Damage to PEM text by loaders of environment variables. The first match is the reason. */
const PEM_PROBLEMS: readonly (readonly [RegExp, string])[] = [
  [/^\s*$/, 'It is empty.'],
  [/-----BEGIN (?![^]*-----END )/, 'It has no line -----END, as when only its first line was read.'],
  [/^\s*["'`]|["'`]\s*$/, 'Remove the quotes around it.'],
  [/^\s*LS0tLS1CRUdJTi/, "It is base64 of PEM text. Decode it: Buffer.from(text, 'base64').toString()."],
  [/^(?![^]*-----BEGIN )/, 'It has no line -----BEGIN. Give the text of the file, not its path.'],
  [/\\/, `It has a backslash other than that of \\n, as in \\r\\n. ${LINE_ENDS}`],
  [/-----BEGIN [^-]*-----(?!\s*\n)/, `It has no line end after -----BEGIN. ${LINE_ENDS}`],
  [/^[^\S\n]+-----/m, 'Remove the white space before its lines.'],
  [/ENCRYPTED/, 'It is encrypted. Decrypt it with createPrivateKey, and give the KeyObject.'],
];

/** The `kid` is the same in every process, and hides the secret. */
export function keyOfSecret(secret: SecretInput): Key {
  const key = secretKey('createTokens: the secret', secret, 'HS256');
  const kid = createHmac('sha256', key).update('express-merchant-auth kid').digest('base64url').slice(0, 16);
  return { kid, algorithm: 'HS256', verifyingKey: key, signingKey: key };
}

/**
 * Keeps the order: the first key signs, all verify.
 * @throws TypeError that names the key and the problem, never the key's content
 */
export function keyRing(configs: readonly KeyConfig[]): ReadonlyMap<string, Key> {
  if (!Array.isArray(configs) || configs.length === 0) {
    throw new TypeError('createTokens: keys must be a list of at least one key. The first signs, all verify.');
  }
  const ring = new Map<string, Key>();
  for (const config of configs as readonly KeyConfig[]) {
    if (typeof config?.kid !== 'string' || !KID.test(config.kid)) {
      throw new TypeError('createTokens: every key needs a kid, in visible ASCII.');
    }
    if (ring.has(config.kid)) throw new TypeError(`createTokens: two keys have the kid "${config.kid}".`);
    ring.set(config.kid, keyOfConfig(config));
  }
  return ring;
}

function keyOfConfig(config: KeyConfig): Key {
  const { kid, algorithm } = config;
  const where = `createTokens: key "${kid}"`;
  if (typeof algorithm !== 'string' || !Object.hasOwn(algorithms, algorithm)) {
    throw new TypeError(`${where}: algorithm must be one of ${Object.keys(algorithms).join(', ')}.`);
  }
  if (algorithms[algorithm].kind === 'secret') {
    const key = secretKey(where, (config as SecretKeyConfig).secret, algorithm);
    return { kid, algorithm, verifyingKey: key, signingKey: key };
  }
  const { privateKey, publicKey } = config as KeyPairConfig;
  const verifyingKey = asymmetricKey(where, 'public', publicKey, algorithm);
  if (privateKey === undefined) return { kid, algorithm, verifyingKey, signingKey: undefined };

  const signingKey = asymmetricKey(where, 'private', privateKey, algorithm);
  if (!createPublicKey(signingKey).equals(verifyingKey)) {
    throw new TypeError(`${where}: privateKey and publicKey are not of one pair.`);
  }
  return { kid, algorithm, verifyingKey, signingKey };
}

function asymmetricKey(where: string, half: 'public' | 'private', input: unknown, algorithm: Algorithm): KeyObject {
  const key = readKey(where, half, input);
  const problem = keyProblem(key, algorithm);
  if (problem !== undefined) throw new TypeError(`${where}: ${algorithm} needs ${problem}.`);
  return key;
}

function readKey(where: string, half: 'public' | 'private', input: unknown): KeyObject {
  const name = `${half}Key`;
  if (types.isKeyObject(input)) {
    if (input.type === half) return input;
    throw new TypeError(`${where}: ${name} is a ${input.type} KeyObject.`);
  }
  if (typeof input !== 'string') {
    throw new TypeError(
      `${where}: ${name} must be PEM text or a KeyObject (for a JWK: createPublicKey({ key, format: 'jwk' })).`,
    );
  }
  // As environment variables often hold line ends.
  const pem = input.replaceAll('\\n', '\n');
  if (half === 'public' && pem.includes('PRIVATE KEY')) {
    throw new TypeError(
      `${where}: publicKey holds a private key. Give the public half, so that the other stays secret.`,
    );
  }
  try {
    return half === 'public' ? createPublicKey(pem) : createPrivateKey(pem);
  } catch (cause) {
    const [, problem = ''] = PEM_PROBLEMS.find(([pattern]) => pattern.test(pem)) ?? [];
    throw new TypeError(`${where}: ${name} is not PEM text that can be read. ${problem}`.trim(), { cause });
  }
}

function keyProblem(key: KeyObject, algorithm: Algorithm): string | undefined {
  const { asymmetricKeyType, asymmetricKeyDetails } = key;
  const entry: AlgorithmEntry = algorithms[algorithm];
  if (entry.kind === 'ec') {
    return asymmetricKeyDetails?.namedCurve === entry.namedCurve ? undefined : `a key on curve ${entry.namedCurve}`;
  }
  if (asymmetricKeyType !== 'rsa') {
    return "an RSA key of type rsa. Make one with generateKeyPairSync('rsa', { modulusLength: 3072 }) or openssl genrsa 3072";
  }
  const { minBits } = entry as Extract<AlgorithmEntry, { kind: 'rsa' }>;
  return (asymmetricKeyDetails?.modulusLength ?? 0) < minBits ? `${minBits} bits or more` : undefined;
}
