import {
  generateKeyPairSync,
  type KeyObject,
  type KeyPairKeyObjectResult,
  type RSAPSSKeyPairKeyObjectOptions,
} from 'node:crypto';

/** Two secrets of 32 bytes, the least length of HS256. */
export const SECRET = 'mangrove-mangrove-mangrove-32-by';
export const OTHER_SECRET = 'baobab-baobab-baobab-baobab-32-b';

/** Generates a key pair at its first use and keeps it, because an RSA key takes 0.1 s or more. */
function once(make: () => KeyPairKeyObjectResult): () => KeyPairKeyObjectResult {
  let pair: KeyPairKeyObjectResult | undefined;
  return () => (pair ??= make());
}

export const rsaPair = once(() => generateKeyPairSync('rsa', { modulusLength: 2048 }));
export const otherRsaPair = once(() => generateKeyPairSync('rsa', { modulusLength: 2048 }));
export const shortRsaPair = once(() => generateKeyPairSync('rsa', { modulusLength: 1024 }));

/** For RSA-PSS alone (RFC 4055 section 1.2), and bound to SHA-256. */
export const rsaPssPair = once(() => {
  const options = { modulusLength: 2048, hashAlgorithm: 'sha256', mgf1HashAlgorithm: 'sha256', saltLength: 32 };
  return generateKeyPairSync('rsa-pss', options as object as RSAPSSKeyPairKeyObjectOptions);
});

/** A key on each curve. */
export const ecPair = {
  prime256v1: once(() => generateKeyPairSync('ec', { namedCurve: 'prime256v1' })),
  secp384r1: once(() => generateKeyPairSync('ec', { namedCurve: 'secp384r1' })),
  secp521r1: once(() => generateKeyPairSync('ec', { namedCurve: 'secp521r1' })),
  secp256k1: once(() => generateKeyPairSync('ec', { namedCurve: 'secp256k1' })),
} as const;
export const otherEcPair = once(() => generateKeyPairSync('ec', { namedCurve: 'prime256v1' }));

export const ed25519Pair = once(() => generateKeyPairSync('ed25519'));

/** The PEM text of a key: SPKI for a public one, PKCS #8 for a private one. */
export function pemOf(key: KeyObject): string {
  return key.export({ type: key.type === 'public' ? 'spki' : 'pkcs8', format: 'pem' }).toString();
}

/** Returns the lines of a PEM text that contain parts of the key. */
export function contentOf(pem: string): string[] {
  return pem.split('\n').filter((line) => line !== '' && !line.startsWith('-----'));
}
