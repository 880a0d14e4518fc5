import { randomBytes } from 'node:crypto';
import type { KnownFormat } from './format.js';
import { computeWith, nativePackage } from './native-package.js';

const library = nativePackage<typeof import('@node-rs/bcrypt')>('@node-rs/bcrypt');

/** 2^12 rounds, as in Laravel. */
export const DEFAULT_BCRYPT_COST = 12;
/** Takes eight times as long as the default. */
export const MAX_BCRYPT_COST = 15;

const MAX_PASSWORD_BYTES = 72;

/**
 * `$2y$<cost>$<22 characters of salt><31 of output>`, in bcrypt's own base64. `$2a$` and `$2b$` compute the same. The
 * unused bits of each last character are zero: the library accepts no other encoding.
 */
const MODULAR_CRYPT = /^\$2[aby]\$(0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{30}[.CGKOSWaeimquy26]$/;

export function costOfBcrypt(hash: string): number | undefined {
  const [, cost] = MODULAR_CRYPT.exec(hash) ?? [];
  return cost === undefined ? undefined : Number(cost);
}

/** Many implementations stop at NUL. */
function isWholeForBcrypt(password: string): boolean {
  return Buffer.byteLength(password, 'utf8') <= MAX_PASSWORD_BYTES && !password.includes('\0');
}

export const bcrypt: KnownFormat = {
  name: 'bcrypt',
  identify: (hash) => /^\$2[aby]\$/.test(hash),
  isComputable: (hash) => (costOfBcrypt(hash) ?? Infinity) <= MAX_BCRYPT_COST,
  costText: (hash) => String(costOfBcrypt(hash)),
  readsWhole: isWholeForBcrypt,
  load: library,
  async verify(password, hash) {
    const matches = await computeWith(library, ({ verify }) => verify(password, hash));
    return matches && !password.includes('\0');
  },
};

/** @throws RangeError for a password that bcrypt would not read to its end */
export async function hashBcrypt(password: string, cost: number): Promise<string> {
  if (!isWholeForBcrypt(password)) {
    throw new RangeError('bcrypt reads 72 bytes of UTF-8 and stops at NUL: this password cannot be hashed with it.');
  }
  // PHP and Laravel only accept `$2y$`, which the library writes.
  return computeWith(library, ({ hash }) => hash(password, cost));
}

/** No password matches it. Salt and output end in `.`, whose unused bits are zero. */
export function decoyBcrypt(cost: number): string {
  const text = (characters: number) =>
    randomBytes(characters)
      .toString('base64')
      .replace(/[^A-Za-z0-9]/g, '.')
      .slice(0, characters);
  return `$2y$${String(cost).padStart(2, '0')}$${text(21)}.${text(30)}.`;
}
