/** Runs of backslashes, and an escape of JSON or HTML. The limits of length keep the search linear. */
const ESCAPE = /\\+(?:u([\da-f]{4}))?|&(?:#(\d{1,9})|#x([\da-f]{1,9})|([a-z]\w{1,31}));/gi;

/** A string or a number of JSON. The name of a member is a string too. */
const LITERAL = /"(?:[^"\\]+|\\.)*"|-?\d[\d.eE+-]*/g;

/** Limits the passes that decode a text, because some services escape a text that is escaped already. */
const PASSES = 5;

/** Limits the time of the search, in characters of the answer. */
const LONGEST_TEXT = 262_144;

/**
 * Removes a password or a token from an answer, because some services repeat the request in it, and errors are logged.
 * JSON stays JSON. A string that contains the secret in escapes is replaced as a whole, and so is a very long answer.
 */
export function withoutSecret(text: string, secret: string): string {
  const wanted = formsOf(secret);
  const hide = (given: string) => {
    const hidden = given.replaceAll(secret, '***');
    // Most texts have no escape.
    if (!/[\\&]/.test(hidden)) return hidden;
    return formsOf(hidden).some((form) => wanted.some((part) => form.includes(part))) ? '***' : hidden;
  };
  if (text.length > LONGEST_TEXT) return '***';
  try {
    JSON.parse(text);
  } catch {
    return hide(text);
  }
  return text.replace(LITERAL, (literal) => {
    const value = literal.startsWith('"') ? (JSON.parse(literal) as string) : literal;
    const hidden = hide(value);
    return hidden === value ? literal : JSON.stringify(hidden);
  });
}

/**
 * Returns the comparable forms of a text and of what its escapes decode to. A secret that looks like an escape has
 * several forms too.
 */
function formsOf(text: string, passes = PASSES): string[] {
  const decoded = text.replace(ESCAPE, decode);
  return [comparable(text), ...(decoded === text || passes === 0 ? [] : formsOf(decoded, passes - 1))];
}

/** Decodes an escape. A named character of HTML is a space, because the list of the names is long. */
function decode(_escape: string, unit?: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return /^amp$/i.test(name) ? '&' : ' ';
  const code = decimal === undefined ? parseInt(unit ?? hex ?? '', 16) : Number(decimal);
  return Number.isNaN(code) ? '\\' : String.fromCodePoint(Math.min(code, 0x10ffff));
}

/**
 * Returns a text in which only letters and digits differ. A backslash is left out, and a control character has the
 * letter of its escape, so that `\n` and a line break are the same.
 */
function comparable(text: string): string {
  return text.replace(/[^\dA-Za-z]/g, (character) =>
    character === '\\' ? '' : ('btnvfr'[character.charCodeAt(0) - 8] ?? ' '),
  );
}
