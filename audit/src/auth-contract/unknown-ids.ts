import { randomInt } from 'node:crypto';
import { replaceEach } from './unknown-credentials.js';

/** Replacements that are valid in each usual alphabet of ids: decimal, hexadecimal, base32, base58 and base64. */
const KINDS = ['abcdef', 'ABCDEF', '234567'];
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** Matches a number that a database counts, with a prefix such as `tx_` or `INV/2026/`. */
const COUNTED = /^((?:(?:\p{L}+|\d+)[^\p{L}\d]+)*\p{L}*)(\d+)$/u;

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

/** Returns a number that a counter is far from, because a database has the next ones soon. */
function farFrom(digits: string): string {
  const { length } = digits;
  if (length < 6 && !/^0\d/.test(digits)) return String(Number(digits) + randomInt(1_000_000, 1_900_000));
  // A host can demand this length, and a column cannot hold a number that begins with a greater digit.
  const firsts = length < 9 ? '23456789'.replace(digits.charAt(0), '') : '1';
  const rest = Array.from({ length: length - 1 }, () => randomInt(10)).join('');
  return firsts.charAt(randomInt(firsts.length)) + rest;
}
