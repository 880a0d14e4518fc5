import { constants, createHmac, type KeyLike, sign } from 'node:crypto';
import { expect } from 'chai';
import { answerOf, challengeOf, INVALID_TOKEN } from './answers.js';
import { expectAuthError, thrownBy } from './thrown.js';

/** The parts of a token that a test builds itself. Each can be wrong. */
interface Crafted {
  /** An object is sent as JSON, text as it is. */
  readonly header: unknown;
  /** An object is sent as JSON, text as it is. */
  readonly payload: unknown;
  /** The private key, or the secret of HS256. Without one, or with an unknown algorithm, the signature is empty. */
  readonly key?: KeyLike;
  /** The algorithm of the signature. Default: the `alg` of the header. */
  readonly algorithm?: string;
}

/** The parts of a token, unverified. */
interface Read {
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Returns a compact JWS (RFC 7515 section 3.1). It is made with `node:crypto` alone and is not checked. */
export function craftToken({ header, payload, key, algorithm }: Crafted): string {
  const input = `${encode(header)}.${encode(payload)}`;
  const alg = algorithm ?? (header as { readonly alg?: unknown } | null)?.alg;
  return `${input}.${key === undefined ? '' : signatureOf(String(alg), key, input)}`;
}

/** Returns the header and payload of an issued token, so that a test can change and sign them. */
export function readToken(token: string): Read {
  const [header, payload] = token.split('.');
  return { header: decode(header), payload: decode(payload) };
}

export function changedToken(
  token: string,
  key: KeyLike,
  { header = {}, payload = {} }: { readonly header?: object; readonly payload?: object },
): string {
  const read = readToken(token);
  return craftToken({ header: { ...read.header, ...header }, payload: { ...read.payload, ...payload }, key });
}

function encode(part: unknown): string {
  return Buffer.from(typeof part === 'string' ? part : JSON.stringify(part), 'utf8').toString('base64url');
}

function decode(part = ''): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Record<string, unknown>;
}

function signatureOf(algorithm: string, key: KeyLike, input: string): string {
  const [, family, bits] = /^(HS|RS|PS|ES)(256|384|512)$/.exec(algorithm) ?? [];
  if (bits === undefined) return '';
  const hash = `sha${bits}`;
  if (family === 'HS') return createHmac(hash, key).update(input).digest('base64url');
  const { RSA_PKCS1_PSS_PADDING: padding, RSA_PSS_SALTLEN_DIGEST: saltLength } = constants;
  const signer = {
    key: key as string,
    ...(family === 'PS' && { padding, saltLength }),
    ...(family === 'ES' && { dsaEncoding: 'ieee-p1363' as const }),
  };
  return sign(hash, Buffer.from(input), signer).toString('base64url');
}

export const UNKNOWN_KID = 'its kid names none of these keys, as when login and guard have different secrets';

/** Asserts that `check` throws `INVALID_TOKEN` in this realm, and that only its detail has the reason. */
export function expectInvalidToken(realm: string, check: () => unknown, reason: string): void {
  const error = expectAuthError(thrownBy(check), INVALID_TOKEN);
  expect(error.detail).to.equal(`The token is not valid: ${reason}.`);
  expect(error.description).to.equal(answerOf(INVALID_TOKEN).expected.description);
  expect(error.headers).to.deep.equal({ 'WWW-Authenticate': challengeOf(error.description, realm) });
}
