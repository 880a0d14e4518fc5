import { types } from 'node:util';
import { hidesMembers, isOfClass, isPairs } from '../body/body-kind.js';
import { AuthError } from '../errors/auth-error.js';

/** The request field that carries the merchant reference (docs/interface.md 1). */
export const REFERENCE_FIELD = 'refercence_cl';
/** The name that callers often use by mistake. */
export const LIKELY_MISSPELLING = 'reference_cl';

/**
 * Matches keys that some parsers read as the field and others do not. Some have brackets or dots: `refercence_cl[]`,
 * `a[refercence_cl]`, `a.refercence_cl`, `refercence_cl.a`. PHP also reads `refercence.cl`, `refercence cl`,
 * `refercence[cl`, ` refercence_cl` and `refercence_cl\0` as the field.
 */
const AMBIGUOUS_KEY = /(?:^|[.[\s])refercence[_.[\s]cl(?:$|[.[\]\0])/;

/** Matches a query that can have the field, because it has the start of the name or a percent-encoded character. */
const CAN_HAVE_REFERENCE = /refercence|%/;

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
 * Checks every member named `refercence_cl` of a value, own or inherited, at any depth, in objects, arrays (including
 * their named members) and the containers that parsers make. `undefined` counts as absent, because Express 4 gives it
 * for an optional path parameter. The walk does not recurse, so that no depth exhausts the stack, and visits an object
 * once, so that it ends for aliases and cycles.
 * @throws AuthError `invalid_reference` or `foreign_reference` for a member, `unreadable_body` for a value below `root`
 *   that shows no members
 */
export function checkReferencesIn(root: unknown, own: string): void {
  if (!isWalkable(root)) return;
  const pending: object[] = [root];
  // Made on demand, because most bodies are flat.
  let seen: Set<object> | undefined;
  const visit = (value: unknown) => {
    if (!isWalkable(value)) return;
    seen ??= new Set([root]);
    if (seen.has(value)) return;
    seen.add(value);
    pending.push(value);
  };
  const visitMember = (key: unknown, member: unknown) => {
    if (isReference(key)) checkMember(member, own);
    else visit(member);
  };
  const visitInstance = (value: object, prototype: object) => {
    if (isPairs(value)) {
      for (const [key, member] of value) {
        visit(key);
        visitMember(key, member);
      }
    } else if (types.isSet(value)) value.forEach(visit);
    else if (value !== root && hidesMembers(value)) throw hiddenMembers(prototype);
    // A file of graphql-upload has a promise of itself.
    if ('promise' in value && types.isPromise(value.promise)) seen?.add(value.promise);
    // An own member hides an inherited one, so the prototype is visited separately.
    if (!isOfClass(prototype)) visit(prototype);
  };

  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    // The loop below does not see a getter of a class, but `in` does.
    if (REFERENCE_FIELD in value) checkMember(value[REFERENCE_FIELD], own);
    const prototype = Object.getPrototypeOf(value) as object | null;
    // Skips the slower checks for most values, which are plain objects and arrays.
    if (prototype !== null && prototype !== Object.prototype && prototype !== Array.prototype) {
      visitInstance(value, prototype);
    }
    for (const key in value) {
      if (key !== REFERENCE_FIELD) visitMember(key, (value as Record<string, unknown>)[key]);
    }
  }
}

/**
 * Checks the query of a URL before parsing. The parsed query is not enough, because parsers stop after 1,000 members
 * and a host can choose another parser. A handler can also send the URL to another service.
 * @throws AuthError `invalid_reference` or `foreign_reference`
 */
export function checkReferencesInUrl(url: string, own: string): void {
  const start = url.indexOf('?');
  if (start === -1) return;
  const query = url.slice(start);
  // Returns early for nearly all queries, which makes a GET a tenth faster.
  if (!CAN_HAVE_REFERENCE.test(query)) return;
  for (const [key, value] of new URLSearchParams(query)) {
    if (isReference(key)) checkMember(value, own);
  }
}

/**
 * Returns true for the name of the field.
 * @throws AuthError `invalid_reference` for a key that parsers read differently
 */
function isReference(key: unknown): boolean {
  if (typeof key !== 'string' || key.length < REFERENCE_FIELD.length) return false;
  if (key === REFERENCE_FIELD) return true;
  if (AMBIGUOUS_KEY.test(key)) throw new AuthError('invalid_reference');
  return false;
}

function checkMember(member: unknown, own: string): void {
  if (member !== undefined) checkReference(member, own);
}

/** Returns true for an object that can hold named members. The elements of typed arrays have no names. */
function isWalkable(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}

function hiddenMembers({ constructor }: object): AuthError {
  return new AuthError('unreadable_body', {
    detail: `req.body has a ${constructor.name}, whose members the guard cannot see. Convert it before the guard.`,
  });
}

/** Returns true when `place` has the member `field`. For an array, each of its elements must have it. */
export function hasField(place: unknown, field: string): boolean {
  if (typeof place !== 'object' || place === null) return false;
  if (Array.isArray(place)) {
    return place.length > 0 && place.every((element) => !Array.isArray(element) && hasField(element, field));
  }
  if (isPairs(place)) return place.has(field);
  return (place as Record<string, unknown>)[field] !== undefined;
}
