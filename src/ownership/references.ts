import { AuthError } from '../errors/auth-error.js';

/** The field of SPEC.md 1 that carries the merchant reference in requests. */
export const REFERENCE_FIELD = 'refercence_cl';
/** What the field is often taken to be called. */
export const LIKELY_MISSPELLING = 'reference_cl';

/**
 * Keys with a bracket next to the name: of `refercence_cl[]`, `[refercence_cl]` and `filter[refercence_cl]` one parser
 * makes the field itself, another an array or a nested field, a third a field of that name.
 */
const AMBIGUOUS_KEY = /(?:^|\[)refercence_cl[[\]]/;

/** @throws AuthError unless `value` is a string that is exactly the caller's own reference. */
export function checkReference(value: unknown, own: string): void {
  if (typeof value !== 'string') throw new AuthError('invalid_reference');
  if (value !== own) throw new AuthError('foreign_reference');
}

/**
 * Checks every member named `refercence_cl` of a value, at any depth: in arrays, in nested objects, in an own member
 * named `__proto__`. An undefined one is absent: an optional path parameter of Express 4. It does not recurse, so that no
 * depth exhausts the stack, and visits an object once, so that aliases and cycles end.
 * @throws AuthError `invalid_reference` or `foreign_reference`, whichever member is met first
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

/** Whether a value can hold members; of bytes, there are many and none has a name. */
function isWalkable(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}

/** What a parser of the host's own can make instead of an object. */
function isContainer(value: object): value is Map<unknown, unknown> | URLSearchParams | FormData {
  if (Object.getPrototypeOf(value) === Object.prototype) return false; // as nearly all are; FormData costs a look-up
  return value instanceof Map || value instanceof URLSearchParams || value instanceof FormData;
}

/** Whether `place` has the member `field`; of an array, whether it has elements and each of them has it. */
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
