import { createPublicKey, createSecretKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

export const ALGORITHMS = ['HS256', 'RS256', 'ES256'] as const;
export type BenchAlgorithm = (typeof ALGORITHMS)[number];

/** Keys of one run, as text, since they are sent to other processes. */
export interface BenchKeys {
  readonly secret: string;
  /** In PEM. The private half is never sent to a server. */
  readonly pairs: Readonly<Record<'RS256' | 'ES256', { readonly publicKey: string; readonly privateKey?: string }>>;
}

export const KID = 'bench';

export function generateKeys(): BenchKeys {
  return {
    secret: randomBytes(48).toString('base64url'),
    pairs: {
      RS256: inPem(generateKeyPairSync('rsa', { modulusLength: 2048 })),
      ES256: inPem(generateKeyPairSync('ec', { namedCurve: 'prime256v1' })),
    },
  };
}

function inPem({ publicKey, privateKey }: Readonly<Record<'publicKey' | 'privateKey', KeyObject>>) {
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** What a server may know. */
export function verifyingHalves({ secret, pairs: { RS256, ES256 } }: BenchKeys): BenchKeys {
  return { secret, pairs: { RS256: { publicKey: RS256.publicKey }, ES256: { publicKey: ES256.publicKey } } };
}

/** The secret or the public key as text, which is what applications keep in their environment. */
export function verifyingText({ secret, pairs }: BenchKeys, algorithm: BenchAlgorithm): string {
  return algorithm === 'HS256' ? secret : pairs[algorithm].publicKey;
}

export function verifyingKey(keys: BenchKeys, algorithm: BenchAlgorithm): KeyObject {
  const text = verifyingText(keys, algorithm);
  return algorithm === 'HS256' ? createSecretKey(text, 'utf8') : createPublicKey(text);
}
