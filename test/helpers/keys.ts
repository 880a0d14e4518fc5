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

/**
 * RSA-PSS keys. Three are bound to one hash (RFC 4055 section 3.1), and one is not. The last two have a salt that is too
 * long, and another hash for the mask.
 */
export const rsaPssPair = { 256: pssPair(256), 384: pssPair(384), 512: pssPair(512) } as const;
export const unboundRsaPssPair = once(() => generateKeyPairSync('rsa-pss', { modulusLength: 2048 }));
export const saltyRsaPssPair = pssPair(256, 64);
export const mixedRsaPssPair = pssPair(256, 32, 'sha512');

/** A key on each curve. */
export const ecPair = {
  prime256v1: once(() => generateKeyPairSync('ec', { namedCurve: 'prime256v1' })),
  secp384r1: once(() => generateKeyPairSync('ec', { namedCurve: 'secp384r1' })),
  secp521r1: once(() => generateKeyPairSync('ec', { namedCurve: 'secp521r1' })),
  secp256k1: once(() => generateKeyPairSync('ec', { namedCurve: 'secp256k1' })),
} as const;
export const otherEcPair = once(() => generateKeyPairSync('ec', { namedCurve: 'prime256v1' }));

export const ed25519Pair = once(() => generateKeyPairSync('ed25519'));

function pssPair(bits: number, saltLength = bits / 8, mgf1HashAlgorithm = `sha${bits}`): () => KeyPairKeyObjectResult {
  const options = { modulusLength: 2048, hashAlgorithm: `sha${bits}`, mgf1HashAlgorithm, saltLength };
  return once(() => generateKeyPairSync('rsa-pss', options as object as RSAPSSKeyPairKeyObjectOptions));
}

/** The PEM text of a key: SPKI for a public one, PKCS #8 for a private one. */
export function pemOf(key: KeyObject): string {
  return key.export({ type: key.type === 'public' ? 'spki' : 'pkcs8', format: 'pem' }).toString();
}

/** Returns the lines of a PEM text that contain parts of the key. */
export function contentOf(pem: string): string[] {
  return pem.split('\n').filter((line) => line !== '' && !line.startsWith('-----'));
}
