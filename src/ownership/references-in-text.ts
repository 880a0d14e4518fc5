import { AuthError } from '../errors/auth-error.js';
import { checkReferencesIn, NAME } from './references.js';

/** Matches the escapes of the two characters that would end a string too early. */
const ESCAPED = /\\["\\]/g;
/** Matches a string of JSON without these escapes, with the colon that follows a name. */
const STRING = /"([^"]*)"(\s*:)?/g;

/**
 * Checks JSON that other code can parse again, for example a `data` listener. `JSON.parse` keeps the last of two members
 * with one name, and another parser can keep the first. The text therefore must not have more names than its value.
 * @throws AuthError `invalid_reference` or `foreign_reference`
 */
export function checkReferencesInText(text: string, value: unknown, own: string): void {
  const seen = checkReferencesIn(value, own);
  let named = 0;
  // The name has neither of these characters. A single pattern for both would exhaust the stack for a long string.
  for (const [, name, colon] of text.replace(ESCAPED, '__').matchAll(STRING)) {
    if (colon !== undefined && NAME.test(JSON.parse(`"${name}"`) as string)) named += 1;
  }
  if (named > seen) throw new AuthError('invalid_reference');
}
