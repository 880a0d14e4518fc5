import { AuthError } from '../errors/auth-error.js';

/** The request field that carries the merchant reference (docs/interface.md 1). */
export const REFERENCE_FIELD = 'refercence_cl';
/** The name that callers often use by mistake. */
export const LIKELY_MISSPELLING = 'reference_cl';

/**
 * Matches keys with a bracket next to the name: `refercence_cl[]`, `[refercence_cl]`, `filter[refercence_cl]`. Parsers
 * disagree on them: one makes the field itself, another an array or a nested field, a third a field with that name.
 */
const AMBIGUOUS_KEY = /(?:^|\[)refercence_cl[[\]]/;

/** @throws AuthError unless `value` is a string that is exactly the caller's own reference */
export function checkReference(value: unknown, own: string): void {
  if (typeof value !== 'string') throw new AuthError('invalid_reference');
  if (value !== own) throw new AuthError('foreign_reference');
}

/**
 * Checks every member named `refercence_cl` of a value, at any depth: in arrays, in nested objects, in an own member
 * named `__proto__`. `undefined` counts as absent, because Express 4 gives it for an optional path parameter. The walk does
 * not recurse, so that no depth exhausts the stack. It visits an object once, so that aliases and cycles end.
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
    if (key === REFERENCE_FIELD) {
      if (member !== undefined) checkReference(member, own);
    } else if (typeof key === 'string' && AMBIGUOUS_KEY.test(key)) {
      throw new AuthError('invalid_reference');
    } else {
      visit(member);
    }
  };

  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (Array.isArray(value) || value instanceof Set) {
      value.forEach(visit);
      continue;
    }
    if (isContainer(value)) {
      for (const [key, member] of value) visitMember(key, member);
    } else {
      for (const key of Object.keys(value)) visitMember(key, (value as Record<string, unknown>)[key]);
    }
  }
}

/** Returns true for an object that can hold named members. The elements of typed arrays have no names. */
function isWalkable(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}

/** Returns true for the containers that some parsers make instead of a plain object. */
function isContainer(value: object): value is Map<unknown, unknown> | URLSearchParams | FormData {
  if (Object.getPrototypeOf(value) === Object.prototype) return false; // Nearly all are, and reading the global FormData is slow.
  return value instanceof Map || value instanceof URLSearchParams || value instanceof FormData;
}

/** Returns true when `place` has the member `field`, or when it is an array and each of its elements has it. */
export function hasField(place: unknown, field: string): boolean {
  if (Array.isArray(place)) {
    return place.length > 0 && place.every((element) => !Array.isArray(element) && hasField(element, field));
  }
  return (
    typeof place === 'object' &&
    place !== null &&
    Object.hasOwn(place, field) &&
    (place as Record<string, unknown>)[field] !== undefined
  );
}
