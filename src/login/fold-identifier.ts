import { domainToASCII } from 'node:url';

/** Many collations ignore these. */
const IGNORED = /[\p{M}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Returns the form under which failures are counted. Spellings that databases often treat as equal share it, and give no
 * further guesses.
 */
export function foldIdentifier(identifier: string): string {
  const folded = foldCase(identifier.normalize('NFKD').replace(IGNORED, '')).trim();
  const at = folded.lastIndexOf('@');
  if (at < 0) return folded;
  const domain = folded.slice(at + 1);
  // Empty for a domain that is not valid.
  return `${folded.slice(0, at)}@${domainToASCII(domain) || domain}`;
}

/** In three steps: ß becomes SS in upper case, and ẞ becomes ß in lower case. */
function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase();
}
