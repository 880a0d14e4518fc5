import jwt from 'jsonwebtoken';
import type { Key } from './keys.js';
import type { Tokens } from './tokens.js';

/** A key with its private half. */
export type SigningKey = Key & { readonly signingKey: NonNullable<Key['signingKey']> };

/** Signs claims of any kind: what they say is the caller's to have checked. */
export function signClaims({ algorithm, kid, signingKey }: SigningKey, claims: object): string {
  const header = { alg: algorithm, typ: 'at+jwt', kid };
  // As text, since jsonwebtoken puts the real time into an object whose iat is 0.
  return jwt.sign(JSON.stringify(claims), signingKey, { algorithm, header });
}

/** For express-merchant-auth/testing alone: the key by which tokens sign now, `undefined` when they cannot. */
export const currentSigningKey = new WeakMap<Tokens, () => SigningKey | undefined>();
