import { randomInt, randomUUID } from 'node:crypto';

/** Valid in each usual alphabet of ids: decimal, hexadecimal, base32, base58 and base64. */
const KINDS = ['abcdef', 'ABCDEF', '234567'] as const;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** A number that a database counts, with a prefix such as `tx_` or `INV/2026/`. */
const COUNTED = /^((?:(?:\p{L}+|\d+)[^\p{L}\d]+)*\p{L}*)(\d+)$/u;

/** Keeps the form of a known identifier: a host can refuse another one. */
export function unknownIdentifierLike(known: string): string {
  const at = known.lastIndexOf('@');
  if (at !== -1) return `nobody-${randomUUID()}${known.slice(at)}`;
  return known.replace(/(?:[a-z\d][^a-z\d]*){0,6}$/i, similarTo);
}

/** Replaces each ASCII letter and digit by another of its kind. Shows nothing of a password. */
export function similarTo(text: string): string {
  const similar = text.replace(/[a-z\d]/gi, (character) => {
    const kind = KINDS[/\d/.test(character) ? 2 : /[A-Z]/.test(character) ? 1 : 0];
    return kind.charAt((kind.indexOf(character) + randomInt(1, kind.length)) % kind.length);
  });
  return similar === text ? `${text}x` : similar;
}

/** Keeps the form of a known id. Each call returns another one. */
export function unknownIdLike(known: string | number): string | number {
  if (typeof known === 'number') return Number(unknownIdLike(String(known)));
  const [, prefix = '', digits] = (UUID.test(known) ? null : COUNTED.exec(known)) ?? [];
  // The last twelve leave the version of a UUID and the time of a ULID.
  if (digits === undefined) return known.replace(/[a-z\d]{0,12}(?=[^a-z\d]*$)/i, similarTo);
  // A database has the next numbers of a counter soon.
  if (digits.length < 6 && !/^0\d/.test(digits)) return prefix + String(Number(digits) + randomInt(1e6, 1.9e6));
  // A host can demand this length, and a column cannot hold ten digits that begin with a greater one.
  return prefix + (digits.length < 9 ? similarTo(digits) : `1${similarTo(digits.slice(1))}`);
}
