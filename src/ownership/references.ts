import { URLSearchParams } from 'node:url';
import { isPlain } from '../body/is-plain.js';
import { AuthError, type AuthErrorOptions } from '../errors/auth-error.js';

/** The request field that carries the merchant reference (docs/interface.md 1). */
export const REFERENCE_FIELD = 'refercence_cl';
/** The name that callers often use by mistake. */
export const LIKELY_MISSPELLING = 'reference_cl';

/**
 * Matches the name, and each key that only some consumers read as the name. Columns of MySQL and members in Go ignore
 * the letter case. Some keys have brackets or dots: `refercence_cl[]`, `a[refercence_cl]`, `a.refercence_cl`,
 * `refercence_cl.a`. PHP also reads `refercence.cl`, `refercence cl`, `refercence[cl`, ` refercence_cl` and
 * `refercence_cl\0` as the name. Query builders drop white space at the end, and make `refercence_cl` of `refercenceCl`.
 */
export const NAME = /(?:^|[.[\s])refercence[_.[\s]?cl(?:$|[.[\]\0\s])/i;

/** The length of the shortest key that matches. */
const SHORTEST_NAME = 'refercencecl'.length;

/** Matches a query that can have the field, because it has the start of the name or a percent-encoded character. */
const CAN_HAVE_REFERENCE = /refercence|%/i;

/** Has no name of the class, because a member `__proto__` can name one. */
const HIDDEN: AuthErrorOptions = {
  detail:
    'An object in the request does not show its members, for example a Map or a stream. Convert it before the guard.',
};

const NOTHING: ReadonlySet<object> = new Set();

/** Matches the tags of objects that hold no members. */
const HOLDS_NOTHING = /^\[object (?:Date|Blob|File)\]$/;

/**
 * Checks one value.
 * @throws AuthError `invalid_reference` unless it is a string, `foreign_reference` unless it is exactly the caller's
 *   own
 */
export function checkReference(value: unknown, own: string): void {
  if (typeof value !== 'string') throw new AuthError('invalid_reference');
  if (value !== own) throw new AuthError('foreign_reference');
}

/**
 * Checks every member named `refercence_cl` of a value, own or inherited, at any depth, in objects and arrays (including
 * their named members). `undefined` counts as absent, because Express 4 gives it for an optional path parameter. The walk
 * does not recurse, so that no depth exhausts the stack, and visits an object once, so that it ends for aliases and
 * cycles.
 * @param hidden the texts about an object that does not show its members
 * @returns the number of these members
 * @throws AuthError `invalid_reference` or `foreign_reference` for a member, `unreadable_body` for an object that does
 *   not show its members
 */
export function checkReferencesIn(root: unknown, own: string, hidden = HIDDEN): number {
  if (!isWalkable(root)) return 0;
  // Made on demand, because most bodies are flat.
  let nested: Set<object> | undefined;
  const visitLater = (member: object) => {
    nested ??= new Set();
    if (member !== root) nested.add(member);
  };
  let found = 0;
  const visit = (value: object) => {
    if (isPlain(value)) found += checkMembers(value, own, visitLater);
    else if (!HOLDS_NOTHING.test(Object.prototype.toString.call(value))) throw new AuthError('unreadable_body', hidden);
  };
  visit(root);
  // The loop also visits what it adds.
  for (const value of nested ?? NOTHING) visit(value);
  return found;
}

function checkMembers(value: object, own: string, visitLater: (member: object) => void): number {
  // The loop below does not see a getter of a class.
  const reference = (value as Record<string, unknown>)[REFERENCE_FIELD];
  if (reference !== undefined) checkReference(reference, own);
  for (const key in value) {
    if (isReference(key)) continue;
    const member = (value as Record<string, unknown>)[key];
    if (isWalkable(member)) visitLater(member);
  }
  return reference === undefined ? 0 : 1;
}

/**
 * Checks the query of a URL before parsing. The parsed query is not enough, because parsers stop after 1,000 members
 * and a host can choose another parser. A handler can also send the URL to another service.
 * @throws AuthError `invalid_reference` or `foreign_reference`
 */
export function checkReferencesInUrl(url: string, own: string): void {
  const start = url.indexOf('?');
  if (start === -1) return;
  // Some handlers cut off one `?`, and their parser cuts off another.
  const query = url.slice(start).replace(/^\?+/, '');
  // Returns early for nearly all queries, which makes a GET a tenth faster.
  if (!CAN_HAVE_REFERENCE.test(query)) return;
  // Some parsers separate at `;` too.
  for (const text of new Set([query, query.replaceAll(';', '&')])) {
    for (const [key, value] of new URLSearchParams(text)) {
      if (isReference(key)) checkReference(value, own);
    }
  }
}

/**
 * Returns true for the name of the field.
 * @throws AuthError `invalid_reference` for a key that consumers read differently
 */
function isReference(key: string): boolean {
  if (key.length < SHORTEST_NAME) return false;
  if (key === REFERENCE_FIELD) return true;
  if (NAME.test(key)) throw new AuthError('invalid_reference');
  return false;
}

/** Returns true for an object that can hold named members. The elements of typed arrays have no names. */
function isWalkable(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}

/** Returns true when `place` has the member `field`. For an array, each of its elements must have it. */
export function hasField(place: unknown, field: string): boolean {
  if (typeof place !== 'object' || place === null) return false;
  if (!Array.isArray(place)) return (place as Record<string, unknown>)[field] !== undefined;
  return place.length > 0 && place.every((element) => !Array.isArray(element) && hasField(element, field));
}
