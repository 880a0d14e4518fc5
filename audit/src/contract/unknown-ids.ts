import { randomInt, randomUUID } from 'node:crypto';

/** Zero is missing, because a number can have a rule about a zero in the first place. */
const KINDS = ['abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', '123456789'];
/** Matches the last six letters and digits. */
const END = /(?:[a-z\d][^a-z\d]*){1,6}$/i;
/** Replacements that are valid in each usual alphabet of ids: decimal, hexadecimal, base32, base58 and base64. */
const ID_KINDS = ['abcdef', 'ABCDEF', '234567'];
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** Matches a number that a database counts, with a prefix such as `tx_` or `INV/2026/`. */
const COUNTED = /^((?:(?:\p{L}+|\d+)[^\p{L}\d]+)*\p{L}*)(\d+)$/u;

/**
 * Returns an identifier that no account has, in the form of a known one, because a host can refuse any other form. An
 * email gets a new local part. A user name or a number gets other letters and digits at its end.
 */
export function unknownIdentifierLike(known: string): string {
  const at = known.lastIndexOf('@');
  if (at !== -1) return `nobody-${randomUUID()}${known.slice(at)}`;
  const [end = ''] = END.exec(known) ?? [];
  return known.slice(0, known.length - end.length) + similarTo(end);
}

/** Replaces each ASCII letter and digit by a different one of its kind. The result shows nothing of a password. */
export function similarTo(text: string): string {
  const similar = replaceEach(text, KINDS);
  return similar === text ? text + replaceEach('x', KINDS) : similar;
}

/** Replaces each letter and digit by a different one of the kind that it is in, or is of. */
function replaceEach(text: string, [lower = '', upper = '', digits = '']: readonly string[]): string {
  return text.replace(/[a-z\d]/gi, (character) => {
    const kind = /\d/.test(character) ? digits : /[a-z]/.test(character) ? lower : upper;
    return kind.charAt((kind.indexOf(character) + randomInt(1, kind.length)) % kind.length);
  });
}

/**
 * Returns an id that no row has, in the form of a known one, because a host can refuse any other form. Each call returns
 * another one.
 */
export function unknownIdLike(known: string | number): string | number {
  if (typeof known === 'number') return Number(unknownIdLike(String(known)));
  const [, prefix = '', digits] = (UUID.test(known) ? null : COUNTED.exec(known)) ?? [];
  if (digits !== undefined) return prefix + farFrom(digits);
  // The last twelve leave the version of a UUID and the time of a ULID.
  const unknown = known.replace(/[a-z\d]{1,12}(?=[^a-z\d]*$)/i, (end) => replaceEach(end, ID_KINDS));
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
