import jwt from 'jsonwebtoken';
import type { Key } from './keys.js';

export type SigningKey = Key & { readonly signingKey: NonNullable<Key['signingKey']> };

export function signClaims({ algorithm, kid, signingKey }: SigningKey, claims: object): string {
  const header = { alg: algorithm, typ: 'at+jwt', kid };
  // As text: in an object jsonwebtoken replaces an iat of 0 with the current time.
  return jwt.sign(JSON.stringify(claims), signingKey, { algorithm, header });
}
