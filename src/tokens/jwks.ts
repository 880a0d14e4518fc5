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
  const { kty, n, e, crv, x, y } = verifyingKey.export({ format: 'jwk' });
  const members = { kty, kid, use: 'sig', alg: algorithm };
  return { ...members, ...(kty === 'RSA' ? { n, e } : { crv, x, y }) } as PublicJwk;
}
