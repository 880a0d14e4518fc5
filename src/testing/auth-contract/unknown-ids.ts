import { randomInt } from 'node:crypto';
import { replaceEach } from './unknown-credentials.js';

/** Replacements that are valid in each usual alphabet of ids: decimal, hexadecimal, base32, base58 and base64. */
const KINDS = ['abcdef', 'ABCDEF', '234567'];
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** Matches a number that a database counts, with a prefix such as `tx_` or `TXN-2026-`. */
const COUNTED = /^((?:(?:[a-z]+|\d+)[-_.:])*[a-z]*)(\d+)$/i;
/** A number that is added, because a database has the next ones soon. */
const FAR = 1_000_003n;
const INT4_MAX = 2_147_483_647n;

/**
 * Returns an id that no row has, in the form of a known one, because a host can refuse any other form. Each call returns
 * another one.
 */
export function unknownIdLike(known: string | number): string | number {
  if (typeof known === 'number') return Number(unknownIdLike(String(known)));
  const [, prefix = '', digits] = (UUID.test(known) ? null : COUNTED.exec(known)) ?? [];
  if (digits !== undefined) return prefix + farFrom(digits);
  // The last twelve leave the version of a UUID and the time of a ULID.
  const unknown = known.replace(/[a-z\d]{1,12}(?=[^a-z\d]*$)/i, (end) => replaceEach(end, KINDS));
  return unknown === known ? `${known}x` : unknown;
}

function farFrom(digits: string): string {
  const number = BigInt(digits);
  const steps = FAR + BigInt(randomInt(1_000_000));
  // A number with leading zeros has a fixed length, and its first digit is free.
  if (/^0\d/.test(digits)) return `${randomInt(2, 10)}${digits.slice(1, -1)}${randomInt(10)}`;
  const isTooLarge = number <= INT4_MAX && number + steps > INT4_MAX;
  return String(isTooLarge ? number - steps : number + steps);
}
