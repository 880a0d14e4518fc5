/**
 * A character as itself, or in an escape of JSON or HTML. Text that was escaped again has more backslashes, or more
 * `amp;`.
 */
const CHARACTER = /(?:\\*&|\\+u0026)(?:amp;)*(?:#(\d+)|#x([\da-f]+)|([a-z]\w*));|\\+u([\da-f]{4})|[^]/gi;

/** A string or a number of JSON. The name of a member is a string too. */
const LITERAL = /"(?:[^"\\]+|\\.)*"|-?\d[\d.eE+-]*/g;

/** The units of the characters that JSON escapes with a letter or a backslash. Backslashes themselves do not count. */
const UNITS = new Map([
  ['\b', 'b'],
  ['\f', 'f'],
  ['\n', 'n'],
  ['\r', 'r'],
  ['\t', 't'],
  ['\\', ''],
]);

/** The unit of each named character of HTML. It equals every other unit, because the list of the names is long. */
const ANY = 'any';

/** A UTF-16 code unit of a text without its escape, and the place of its character. */
interface Unit {
  readonly unit: string;
  readonly start: number;
}

/**
 * Removes a password or a token from an answer, because some services repeat the request in it, and errors are logged.
 * JSON stays JSON.
 */
export function withoutSecret(text: string, secret: string): string {
  const wanted = unitsOf(secret).map(({ unit }) => unit);
  const hide = (given: string) => withoutUnits(given, wanted).replaceAll(secret, '***');
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

function withoutUnits(text: string, wanted: readonly string[]): string {
  // Most texts have no escape, and reading them by character is slow.
  if (!/[\\&]/.test(text)) return text;
  const units = unitsOf(text);
  const isWanted = (found?: Unit, unit?: string) => found?.unit === unit || found?.unit === ANY;
  let hidden = '';
  let from = 0;
  for (let at = 0; wanted.length > 0 && at < units.length; at++) {
    if (!wanted.every((unit, index) => isWanted(units[at + index], unit))) continue;
    hidden += `${text.slice(from, units[at]?.start)}***`;
    at += wanted.length - 1;
    from = units[at + 1]?.start ?? text.length;
  }
  return hidden + text.slice(from);
}

function unitsOf(text: string): Unit[] {
  const units: Unit[] = [];
  for (const match of text.matchAll(CHARACTER)) {
    for (const unit of decode(match)) units.push({ unit, start: match.index });
  }
  return units;
}

function decode([character, decimal, hex, name, unit]: RegExpMatchArray): string[] {
  if (name !== undefined) return [ANY];
  const code = decimal === undefined ? parseInt(hex ?? unit ?? '', 16) : Number(decimal);
  const decoded = code <= 0x10ffff ? String.fromCodePoint(code) : character;
  return (UNITS.get(decoded) ?? decoded).split('');
}
