import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { types } from 'node:util';

/** Makes digests that only who has the pepper can compute: of several texts, with no two lists giving the same. */
export type KeyedDigest = (...texts: readonly string[]) => Buffer;

const MIN_PEPPER_BYTES = 32;

/**
 * The digest for throttle keys, the choice of decoys and the audit's emails.
 * @param pepper 32 bytes or more. Default: HKDF (RFC 5869) of `JWT_SECRET`, so that processes agree; without either a
 *   random one, unless the counters are `shared` between processes, which then would not
 * @throws TypeError for a short pepper, or none where processes have to agree
 */
export function createKeyedDigest(pepper: string | Uint8Array | undefined, shared: boolean): KeyedDigest {
  const key = pepper === undefined ? defaultPepper(shared) : toBytes(pepper);
  return (...texts) => createHmac('sha256', key).update(JSON.stringify(texts)).digest();
}

function toBytes(pepper: unknown): Uint8Array {
  const bytes = typeof pepper === 'string' ? Buffer.from(pepper, 'utf8') : pepper;
  if (!types.isUint8Array(bytes) || bytes.length < MIN_PEPPER_BYTES) {
    throw new TypeError(`createLoginRouter: pepper must be text or bytes, ${MIN_PEPPER_BYTES} bytes or more.`);
  }
  return bytes;
}

function defaultPepper(shared: boolean): Uint8Array {
  const secret = process.env['JWT_SECRET'];
  if (secret !== undefined && secret !== '') {
    return new Uint8Array(hkdfSync('sha256', secret, '', 'express-merchant-auth pepper', MIN_PEPPER_BYTES));
  }
  if (!shared) return randomBytes(MIN_PEPPER_BYTES);
  throw new TypeError(
    'createLoginRouter: the throttle has a limiter that processes share, and they need one pepper to agree on its keys. ' +
      'Give { pepper }, 32 random bytes that all processes have, or set JWT_SECRET.',
  );
}
