/** In Unicode code points, for identifiers and passwords (docs/interface.md 2.1). */
export const MAX_CHARACTERS = 255;

/** Leaves out lone surrogates: nobody can type one. */
export const LOGIN_TEXT = `1 to ${MAX_CHARACTERS} characters, without NUL`;

/** The rule of `Login.attempt`. It stands here because `Passwords.hash` refuses the same passwords. */
export function isLoginText(text: unknown): text is string {
  const isText = typeof text === 'string' && text !== '' && text.isWellFormed() && !text.includes('\0');
  // The first comparison keeps megabytes from being split. A character has one or two code units.
  return isText && text.length <= 2 * MAX_CHARACTERS && Array.from(text).length <= MAX_CHARACTERS;
}
