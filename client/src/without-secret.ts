/**
 * A character as itself, or in an escape of JSON or HTML. Text that was escaped again has more backslashes, or more
 * `amp;`.
 */
const CHARACTER = /(?:&|\\u0026)(?:amp;)*(?:#(\d+)|#x([\da-f]+)|[a-z]\w*);|\\u([\da-f]{4})|[^]/gi;

/** A string or a number of JSON. The name of a member is a string too. */
const LITERAL = /"(?:[^"\\]+|\\.)*"|-?\d[\d.eE+-]*/g;

/** The control characters that JSON escapes with a letter have the unit of that letter. A backslash has none. */
const UNITS = new Map([
  ['\b', 'b'],
  ['\f', 'f'],
  ['\n', 'n'],
  ['\r', 'r'],
  ['\t', 't'],
  ['\\', ''],
]);

/**
 * A UTF-16 code unit of a text without its escape, and the place of its character. A named character of HTML is one
 * unit, which keeps its name.
 */
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
  if (wanted.length === 0 || !/[\\&]/.test(text)) return text;
  const units = unitsOf(text);
  let hidden = '';
  let from = 0;
  let next = 0;
  for (const [at, { start }] of units.entries()) {
    if (at < next || !wanted.every((unit, index) => isSame(units[at + index], unit))) continue;
    hidden += `${text.slice(from, start)}***`;
    next = at + wanted.length;
    from = units[next]?.start ?? text.length;
  }
  return hidden + text.slice(from);
}

/** Returns true for each named character of HTML too, because the list of the names is long. */
function isSame(found: Unit | undefined, wanted: string): boolean {
  return found !== undefined && (found.unit === wanted || found.unit.length > 1);
}

function unitsOf(text: string): Unit[] {
  const units: Unit[] = [];
  for (const match of text.matchAll(CHARACTER)) {
    for (const unit of decode(match)) units.push({ unit, start: match.index });
  }
  return units;
}

function decode([character, decimal, hex, unit]: RegExpMatchArray): string[] {
  const code = decimal === undefined ? parseInt(hex ?? unit ?? '', 16) : Number(decimal);
  const plain = code < 0x110000 ? String.fromCodePoint(code).split('') : [character];
  return plain.map((plainUnit) => UNITS.get(plainUnit) ?? plainUnit).filter((plainUnit) => plainUnit !== '');
}
