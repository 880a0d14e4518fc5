import type { Guarded } from './merchant.js';
import { invalidReference } from './reference-names.js';
import { checkReferencesIn } from './references.js';

/** Matches the escapes of the two characters that would end a string too early. */
const ESCAPED = /\\["\\]/g;
/** Matches the end of a name. No other quote comes before a colon, except one that opens a string with a colon. */
const END_OF_NAME = /"\s*:/g;

/**
 * Checks JSON that other code can parse again, for example a `data` listener. `JSON.parse` keeps the last of two members
 * with one name, and another parser can keep the first. The text therefore must not have more names than its value.
 * @throws AuthError for a reference that is repeated, not valid or not the caller's own
 */
export function checkReferencesInText(text: string, value: unknown, guarded: Guarded): void {
  const seen = checkReferencesIn(value, guarded);
  const { referenceNames: names } = guarded.settings;
  const found: string[] = [];
  // A single pattern for names with escapes would exhaust the stack for a long string.
  const plain = text.replace(ESCAPED, '__');
  if (names.countIn(plain) <= seen) return;
  for (const { index } of plain.matchAll(END_OF_NAME)) {
    const key = plain.slice(plain.lastIndexOf('"', index - 1) + 1, index);
    const name = names.find(key.includes('\\') ? (JSON.parse(`"${key}"`) as string) : key);
    if (name !== undefined) found.push(name);
  }
  if (found.length <= seen) return;
  const repeated = found.filter((name, index) => found.indexOf(name) < index);
  throw invalidReference([...new Set(repeated.length > 0 ? repeated : found)]);
}
