/** The longest identifier and the longest password that can log in, in Unicode code points (docs/interface.md 2.1). */
export const MAX_CHARACTERS = 255;

/** Says the rule of `isLoginText` in messages, except for lone surrogates, because nobody can type one. */
export const LOGIN_TEXT = `1 to ${MAX_CHARACTERS} characters, without NUL`;

/**
 * Returns true for an identifier or a password that `Login.attempt` accepts. This rule is here and not in login, because
 * `Passwords.hash` makes no hash of a password that could never log in.
 */
export function isLoginText(text: unknown): text is string {
  const isText = typeof text === 'string' && text !== '' && text.isWellFormed() && !text.includes('\0');
  // The first comparison keeps megabytes from being split. A character has one or two code units.
  return isText && text.length <= 2 * MAX_CHARACTERS && Array.from(text).length <= MAX_CHARACTERS;
}
