import { AuthError } from '../errors/auth-error.js';
import type { OptionParser } from '../base/parse-options.js';
import { REFERENCE_FIELD } from '../errors/catalogue.js';

/** Converters of keys replace these letters, as `deburr` of lodash does. NFKD keeps them. */
const REPLACED: ReadonlyMap<string, string> = new Map(
  'ßss æae ðd øo þth đd ħh ıi ĸk łl ŋn œoe ŧt'.split(' ').map((pair) => [pair.charAt(0), pair.slice(1)]),
);

/** Parsers of forms and of XML split a key at these. */
const SEPARATORS = '.:/[]\0';

/** Holds at most the 10,600 letters of Latin and Common. */
const FOLDED = new Map<string, string>();

/** Returns the ASCII that some converters of keys make of a letter. */
function fold(letter: string): string {
  const known = FOLDED.get(letter);
  if (known !== undefined) return known;
  // NFKD makes ASCII of letters of these scripts alone, and 18 letters of one in Arabic.
  if (!/[\p{Script=Latin}\p{Script=Common}]/u.test(letter)) return '';
  const compatible = REPLACED.get(letter.toLowerCase()) ?? letter.normalize('NFKD').toLowerCase();
  const folded = compatible.replace(/[^a-z0-9.:/[\]\0]+/g, '');
  FOLDED.set(letter, folded);
  return folded;
}

/** NFKD makes at most five letters of one, as of U+33AF. */
function mostLettersOf(key: string): number {
  let letters = key.length;
  for (let at = 0; at < key.length; at += 1) if (key.charCodeAt(at) > 0x7f) letters += 4;
  return letters;
}

/**
 * Returns true when neighboring parts of a key can be read as this form. Some consumers convert a letter outside of
 * ASCII and others drop it, so both count.
 */
function canBeRead(key: string, form: string): boolean {
  if (mostLettersOf(key) < form.length) return false;
  // ends[n]: the key can end here with the first n letters of the form.
  const ends = [true, ...Array.from(form, () => false)];
  for (const character of key) {
    const isAscii = character <= '\x7f';
    for (const letter of fold(character)) {
      if (SEPARATORS.includes(letter)) {
        if (ends[form.length]) return true;
        ends[0] = true;
        continue;
      }
      for (let at = form.length; at > 0; at -= 1) {
        const isNext = ends[at - 1] === true && form[at - 1] === letter;
        ends[at] = isNext || (!isAscii && ends[at] === true);
      }
      if (isAscii) ends[0] = false;
    }
  }
  return ends[form.length] === true;
}

export class ReferenceNames {
  /** Not frozen: a frozen list doubles the cost of the check of an object. */
  readonly list: readonly string[];
  /** Counts an integer as its decimal text. */
  readonly takesNumbers: boolean;
  /** The shortest body that can have a name. */
  readonly leastBytes: number;
  readonly #byForm: ReadonlyMap<string, string>;
  /** Rules out nearly all keys and queries with one comparison. */
  readonly #candidate: RegExp;
  /** The same for keys in JSON, where a name can have escapes. */
  readonly #candidates: RegExp;
  readonly #parameter: RegExp;
  readonly #group: RegExp;

  constructor(names: readonly string[], takesNumbers: boolean) {
    this.list = [...new Set(names)];
    this.takesNumbers = takesNumbers;
    this.#byForm = new Map(this.list.map((name) => [fold(name), name]));
    const forms = [...this.#byForm.keys()];
    this.leastBytes = Math.min(...forms.map((form) => `${form}=`.length));
    const spread = (letters: string) => forms.map((form) => Array.from(form).join(`[^${letters}]*`)).join('|');
    this.#candidate = new RegExp(`${spread('a-z0-9')}|[^\\0-\\x7f]|[%\\\\]`, 'i');
    this.#candidates = new RegExp(`${spread('a-z0-9"')}|[^\\0-\\x7f]|\\\\`, 'gi');
    this.#parameter = new RegExp(`[:*]"?(?:${this.list.join('|')})(?!\\w)`);
    this.#group = new RegExp(`\\(\\?<(?:${this.list.join('|')})>`);
  }

  canBeIn(text: string): boolean {
    return this.#candidate.test(text);
  }

  /** Returns true for a path, or an expression with named groups, that declares one of the names. */
  isParameterOf(path: unknown): boolean {
    return (typeof path === 'string' ? this.#parameter : this.#group).test(String(path));
  }

  /** Returns an upper bound for the names among the keys of JSON. */
  countIn(text: string): number {
    return text.match(this.#candidates)?.length ?? 0;
  }

  /**
   * Returns the name as which some consumer reads a key. MySQL and Go ignore the letter case. PHP reads
   * `refercence.cl`, `refercence[cl` and `refercence_cl\0x`, parsers of forms `a[refercence_cl]` and `a.refercence_cl`,
   * parsers of XML `a:refercence_cl`, and converters of keys `refercence-cl` and `refercenceCl`.
   */
  find(key: string): string | undefined {
    if (!this.canBeIn(key)) return undefined;
    if (this.list.includes(key)) return key;
    for (const [form, name] of this.#byForm) if (canBeRead(key, form)) return name;
    return undefined;
  }

  /** @throws AuthError for a key that only some consumers read as one of the names */
  includes(key: string): boolean {
    const name = this.find(key);
    if (name === undefined || name === key) return name !== undefined;
    throw invalidReference([name]);
  }
}

export function invalidReference(referenceNames: readonly string[]): AuthError {
  return new AuthError('invalid_reference', { referenceNames });
}

export const parseReferenceName: OptionParser<string> = (where, value = REFERENCE_FIELD) => {
  // The check would find `id` in each row, and `length` in each array.
  if (typeof value === 'string' && /^(?!i_*d_*$)[a-z]\w*$/i.test(value) && !(value in Array.prototype)) return value;
  throw new TypeError(
    `${where} must be a word such as "merchantId", and not "id" or a member of each array or object.`,
  );
};

export const parseReferenceNames: OptionParser<ReferenceNames> = (where, value) => {
  if (value === undefined) return new ReferenceNames([REFERENCE_FIELD], false);
  if (!Array.isArray(value) || value.length === 0) {
    throw new TypeError(`${where} must be a list of names, for example ['merchantId'].`);
  }
  const names = value.map((name: unknown, index) => parseReferenceName(`${where}[${index}]`, name ?? null));
  return new ReferenceNames(names, true);
};
