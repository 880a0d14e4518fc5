import { randomInt, randomUUID } from 'node:crypto';

/** Zero is missing, because a number can have a rule about a zero in the first place. */
const KINDS = ['abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', '123456789'];
/** Matches the last six letters and digits. */
const END = /(?:[a-z\d][^a-z\d]*){1,6}$/i;

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
export function replaceEach(text: string, [lower = '', upper = '', digits = '']: readonly string[]): string {
  return text.replace(/[a-z\d]/gi, (character) => {
    const kind = /\d/.test(character) ? digits : /[a-z]/.test(character) ? lower : upper;
    return kind.charAt((kind.indexOf(character) + randomInt(1, kind.length)) % kind.length);
  });
}
