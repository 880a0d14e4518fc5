import { domainToASCII } from 'node:url';

/** Matches marks, control and format characters, and default-ignorable ones. Many collations ignore them. */
const IGNORED = /[\p{M}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Returns the form of an identifier under which its failures are counted. Identifiers that databases often treat as equal
 * have the same form, so that other spellings give no further guesses.
 */
export function foldIdentifier(identifier: string): string {
  const folded = foldCase(identifier.normalize('NFKD').replace(IGNORED, '')).trim();
  const at = folded.lastIndexOf('@');
  if (at < 0) return folded;
  const domain = folded.slice(at + 1);
  // domainToASCII returns an empty text for a domain that is not valid.
  return `${folded.slice(0, at)}@${domainToASCII(domain) || domain}`;
}

/** Folds letter case in three steps, because ß becomes SS in upper case and ẞ becomes ß in lower case. */
function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase();
}
