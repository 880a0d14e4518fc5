import { createPublicKey, createSecretKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { createTokens, type Tokens } from 'express-merchant-auth';

/** A key as text, because other processes need it. */
export type Key =
  | { readonly algorithm: 'HS256'; readonly secret: string }
  | { readonly algorithm: 'RS256'; readonly publicKey: string; readonly privateKey: string };

export const KID = 'bench';
export const ISSUER = 'https://login.bench.example/';
export const AUDIENCE = 'https://api.bench.example';

const publicKeyEncoding = { type: 'spki', format: 'pem' } as const;
const privateKeyEncoding = { type: 'pkcs8', format: 'pem' } as const;

export function generateKey(algorithm: Key['algorithm']): Key {
  if (algorithm === 'HS256') return { algorithm, secret: randomBytes(48).toString('base64url') };
  return { algorithm, ...generateKeyPairSync('rsa', { modulusLength: 2048, publicKeyEncoding, privateKeyEncoding }) };
}

export function verifyingText(key: Key): string {
  return key.algorithm === 'HS256' ? key.secret : key.publicKey;
}

export function verifyingKey(key: Key): KeyObject {
  return key.algorithm === 'HS256' ? createSecretKey(key.secret, 'utf8') : createPublicKey(key.publicKey);
}

/** Every guard accepts the tokens of these. */
export function tokensOf(key: Key): Tokens {
  return createTokens({ keys: [{ kid: KID, ...key }], issuer: ISSUER, audience: AUDIENCE });
}

/** The number of accounts of a server. */
export const MERCHANTS = 10_000;

export function accountOf(merchant: number) {
  return {
    id: String(merchant),
    email: `merchant-${merchant}@bench.example`,
    marchand: { referencl: `BEN-${merchant}`, statut: 1 },
    passwordHash: null,
  };
}
