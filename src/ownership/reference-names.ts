import { AuthError } from '../errors/auth-error.js';
import type { OptionParser } from '../options/parse-options.js';
import { parseReferenceName, REFERENCE_FIELD } from '../options/reference-name.js';

/** The letters that NFKD keeps, and what converters of keys make of them, as `deburr` of lodash does. */
const REPLACED: ReadonlyMap<string, string> = new Map(
  'ßss æae ðd øo þth đd ħh ıi ĸk łl ŋn œoe ŧt'.split(' ').map((pair) => [pair.charAt(0), pair.slice(1)]),
);

/** Removes what some consumers of keys ignore, and keeps the separators of paths. */
function fold(key: string): string {
  // Without the marks, because NFKD takes quadratic time to put many of them in order.
  const unmarked = key
    .replace(/\p{M}+/gu, '')
    .replace(/[ß-ŧ]/gi, (letter) => REPLACED.get(letter.toLowerCase()) ?? letter);
  return unmarked
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}.:/[\]\0]+/gu, '');
}

/**
 * Returns the forms of a key. Some converters of keys drop all letters outside of ASCII, and others only the digits and
 * ordinal signs there, which NFKD would turn into letters and digits of ASCII.
 */
function formsOf(key: string): string[] {
  const ascii = key.replace(/[^\0-\x7f]+/g, '');
  if (ascii === key) return [fold(key)];
  const withoutDigits = key.replaceAll('ŉ', 'n').replace(/[ªµº]|(?![0-9])\p{N}/gu, '');
  return [key, withoutDigits, ascii].map(fold);
}

/** The names of the request fields that carry the merchant reference. */
export class ReferenceNames {
  /** Each name once. Not frozen, because a frozen list costs the check of each object twice as much. */
  readonly list: readonly string[];
  /** True when an integer counts as its decimal text. */
  readonly takesNumbers: boolean;
  /** The length of the shortest body that can have a name, in bytes. */
  readonly leastBytes: number;
  readonly #byForm: ReadonlyMap<string, string>;
  /** Matches a text that can have a name as a key, so that nearly all keys and queries are compared once. */
  readonly #candidate: RegExp;
  /** The same for each key in the text of JSON, where a name can have escapes. */
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
    this.#candidate = new RegExp(`${spread('a-z0-9')}|[^\\0-\\x7f]|%`, 'i');
    this.#candidates = new RegExp(`${spread('a-z0-9"')}|[^\\0-\\x7f]|\\\\`, 'gi');
    this.#parameter = new RegExp(`[:*]"?(?:${this.list.join('|')})(?!\\w)`);
    this.#group = new RegExp(`\\(\\?<(?:${this.list.join('|')})>`);
  }

  /** Returns false for a key or a query that has none of the names. */
  canBeIn(text: string): boolean {
    return this.#candidate.test(text);
  }

  /** Returns true for a path, or an expression with named groups, that declares one of the names. */
  isParameterOf(path: unknown): boolean {
    return (typeof path === 'string' ? this.#parameter : this.#group).test(String(path));
  }

  /** Returns the number of keys in the text of JSON that can be names, or a larger number. */
  countIn(text: string): number {
    return text.match(this.#candidates)?.length ?? 0;
  }

  /**
   * Returns the name as which some consumer reads a key. Columns of MySQL and members in Go ignore the letter case. PHP
   * makes `refercence_cl` of `refercence.cl`, `refercence[cl` and `refercence_cl\0x`. Parsers of forms make members of
   * `a[refercence_cl]` and `a.refercence_cl`, parsers of XML of `a:refercence_cl`, and converters of keys make the name
   * of `refercence-cl` and `refercenceCl`.
   */
  find(key: string): string | undefined {
    if (!this.canBeIn(key)) return undefined;
    if (this.list.includes(key)) return key;
    for (const form of formsOf(key)) {
      const parts = form.split(/[.:/[\]\0]/);
      for (const [index, part] of parts.entries()) {
        const name = this.#byForm.get(part) ?? this.#byForm.get(`${part}${parts[index + 1] ?? ''}`);
        if (name !== undefined) return name;
      }
      const whole = this.#byForm.get(parts.join(''));
      if (whole !== undefined) return whole;
    }
    return undefined;
  }

  /**
   * Returns true for one of the names.
   * @throws AuthError for a key that only some consumers read as one
   */
  includes(key: string): boolean {
    const name = this.find(key);
    if (name === undefined || name === key) return name !== undefined;
    throw invalidReference([name]);
  }
}

/** Makes the error for a reference that is not one string, or whose name has another spelling. */
export function invalidReference(referenceNames: readonly string[]): AuthError {
  return new AuthError('invalid_reference', { referenceNames });
}

export const parseReferenceNames: OptionParser<ReferenceNames> = (where, value) => {
  if (value === undefined) return new ReferenceNames([REFERENCE_FIELD], false);
  if (!Array.isArray(value) || value.length === 0) {
    throw new TypeError(`${where} must be a list of names, for example ['merchantId'].`);
  }
  const names = value.map((name: unknown, index) => parseReferenceName(`${where}[${index}]`, name ?? null));
  return new ReferenceNames(names, true);
};
