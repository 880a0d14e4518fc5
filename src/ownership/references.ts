import { AuthError } from '../errors/auth-error.js';
import { isOfClass } from '../http/body-kind.js';

/** The request field that carries the merchant reference (docs/interface.md 1). */
export const REFERENCE_FIELD = 'refercence_cl';
/** The name that callers often use by mistake. */
export const LIKELY_MISSPELLING = 'reference_cl';

/**
 * Matches keys that parsers disagree on. One makes `refercence_cl[]`, `a[refercence_cl]`, `a.refercence_cl` and
 * `refercence_cl.a` the field itself, another an array or a nested field, a third a field with that name. PHP reads
 * `refercence.cl`, `refercence cl`, `refercence[cl` and ` refercence_cl` as the field.
 */
const AMBIGUOUS_KEY = /(?:^|[.[\s])refercence[_.[\s]cl(?:$|[.[\]\0])/;

/** Matches a query that has the start of the name, or an encoded character. */
const CAN_HAVE_REFERENCE = /refercence|%/;

/** Node's containers whose members are pairs of a key and a value. */
type Pairs = Map<unknown, unknown> | URLSearchParams | FormData;

/** @throws AuthError unless `value` is a string that is exactly the caller's own reference */
export function checkReference(value: unknown, own: string): void {
  if (typeof value !== 'string') throw new AuthError('invalid_reference');
  if (value !== own) throw new AuthError('foreign_reference');
}

/**
 * Checks every member named `refercence_cl` of a value, own or inherited, at any depth: in objects, in arrays (also their
 * named members) and in the containers that parsers make. `undefined` counts as absent, because Express 4 gives it for an
 * optional path parameter. The walk does not recurse, so that no depth exhausts the stack. It visits an object once, so that
 * aliases and cycles end.
 * @throws AuthError `invalid_reference` or `foreign_reference`, for the first such member
 */
export function checkReferencesIn(root: unknown, own: string): void {
  if (!isWalkable(root)) return;
  const pending: object[] = [root];
  let seen: Set<object> | undefined; // most bodies are flat
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

  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    // Not in the loop below, which does not meet a getter of a class.
    if (REFERENCE_FIELD in value) checkMember(value[REFERENCE_FIELD], own);
    if (hasPairs(value)) for (const [key, member] of value) visitMember(key, member);
    else if (value instanceof Set) value.forEach(visit);
    // An own member shadows an inherited one, which is still there.
    const prototype = Object.getPrototypeOf(value) as object | null;
    if (prototype !== null && !isOfClass(prototype)) visit(prototype);
    for (const key in value) {
      if (key !== REFERENCE_FIELD) visitMember(key, (value as Record<string, unknown>)[key]);
    }
  }
}

/**
 * Checks the query as the URL has it. Parsers stop after 1,000 members, a host can choose another parser or none, and a
 * handler can hand the URL on.
 * @throws AuthError `invalid_reference` or `foreign_reference`
 */
export function checkReferencesInUrl(url: string, own: string): void {
  const start = url.indexOf('?');
  if (start === -1) return;
  const query = url.slice(start);
  // Nearly all queries end here, which makes a GET a tenth faster.
  if (!CAN_HAVE_REFERENCE.test(query)) return;
  for (const [key, value] of new URLSearchParams(query)) {
    if (isReference(key)) checkMember(value, own);
  }
}

/** Returns true for the name of the field. @throws AuthError `invalid_reference` for a key that parsers disagree on */
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

function hasPairs(value: object): value is Pairs {
  if (Object.getPrototypeOf(value) === Object.prototype) return false; // Nearly all are, and reading the global FormData is slow.
  return value instanceof Map || value instanceof URLSearchParams || value instanceof FormData;
}

/** Returns true when `place` has the member `field`, or when it is an array and each of its elements has it. */
export function hasField(place: unknown, field: string): boolean {
  if (typeof place !== 'object' || place === null) return false;
  if (Array.isArray(place)) {
    return place.length > 0 && place.every((element) => !Array.isArray(element) && hasField(element, field));
  }
  if (hasPairs(place)) return place.has(field);
  return (place as Record<string, unknown>)[field] !== undefined;
}
