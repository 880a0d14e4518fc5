import { createPublicKey, type KeyObject } from 'node:crypto';
import type { KeyPairConfig, Key } from './keys.js';

/** A public key as a JSON Web Key (RFC 7517). */
export type PublicJwk = {
  /** The id in the header of the key's tokens. */
  readonly kid: string;
  readonly use: 'sig';
  /** The only algorithm that this key verifies. */
  readonly alg: KeyPairConfig['algorithm'];
} & (
  | { readonly kty: 'RSA'; readonly n: string; readonly e: string }
  | { readonly kty: 'EC'; readonly crv: string; readonly x: string; readonly y: string }
);

/** Public keys as a JSON Web Key Set (RFC 7517 section 5). */
export interface JsonWebKeySet {
  readonly keys: PublicJwk[];
}

/** Leaves out secrets. */
export function jsonWebKeySet(ring: ReadonlyMap<string, Key>): JsonWebKeySet {
  const pairs = [...ring.values()].filter(({ verifyingKey }) => verifyingKey.type === 'public');
  return { keys: pairs.map(publicJwk) };
}

/** Lists each member by name, so that a private one is never copied (RFC 7518 section 6). */
function publicJwk({ kid, algorithm, verifyingKey }: Key): PublicJwk {
  const { kty, n, e, crv, x, y } = plainKey(verifyingKey).export({ format: 'jwk' });
  const members = { kty, kid, use: 'sig', alg: algorithm };
  return { ...members, ...(kty === 'RSA' ? { n, e } : { crv, x, y }) } as PublicJwk;
}

/**
 * node:crypto cannot export rsa-pss as a JWK, but rsa. A SubjectPublicKeyInfo (RFC 5280 section 4.1) is an algorithm and a
 * bit string.
 */
function plainKey(key: KeyObject): KeyObject {
  if (key.asymmetricKeyType !== 'rsa-pss') return key;
  const info = key.export({ type: 'spki', format: 'der' });
  const algorithm = elementAt(info, elementAt(info, 0).content);
  const bitString = elementAt(info, algorithm.end);
  const unusedBits = 1;
  const rsaKey = info.subarray(bitString.content + unusedBits, bitString.end);
  return createPublicKey({ key: rsaKey, format: 'der', type: 'pkcs1' });
}

/** X.690 section 8.1.3. */
function elementAt(der: Buffer, start: number): { readonly content: number; readonly end: number } {
  const first = der.readUInt8(start + 1);
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  const content = start + 2 + lengthBytes;
  return { content, end: content + (lengthBytes === 0 ? first : der.readUIntBE(start + 2, lengthBytes)) };
}
