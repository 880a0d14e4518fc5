import { AuthError } from '../errors/auth-error.js';

/** The field of SPEC.md 1 that carries the merchant reference in requests. */
export const REFERENCE_FIELD = 'refercence_cl';
/** What the field is often taken to be called. */
export const LIKELY_MISSPELLING = 'reference_cl';

/**
 * Keys with a bracket next to the name: for `refercence_cl[]`, `refercence_cl[x]` and `[refercence_cl]` one parser makes
 * the field itself, another an array, a third another field.
 */
const AMBIGUOUS_KEY = /^\[?refercence_cl[[\]]/;

/** @throws AuthError unless `value` is a string that is exactly the caller's own reference. */
export function checkReference(value: unknown, own: string): void {
  if (typeof value !== 'string') throw new AuthError('invalid_reference');
  if (value !== own) throw new AuthError('foreign_reference');
}

/**
 * Checks every member named `refercence_cl` of a value, at any depth: in arrays, in nested objects, in an own member
 * named `__proto__`. It does not recurse, so that no depth exhausts the stack, and visits an object once, so that
 * aliases and cycles end.
 * @throws AuthError `invalid_reference` or `foreign_reference`, whichever member is met first
 */
export function checkReferencesIn(root: unknown, own: string): void {
  const pending: object[] = [];
  const seen = new Set<object>();
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null || seen.has(value) || ArrayBuffer.isView(value)) return;
    seen.add(value);
    pending.push(value);
  };

  visit(root);
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (Array.isArray(value)) {
      value.forEach(visit);
      continue;
    }
    for (const key of Object.keys(value)) {
      const member = (value as Record<string, unknown>)[key];
      if (key === REFERENCE_FIELD) checkReference(member, own);
      else if (AMBIGUOUS_KEY.test(key)) throw new AuthError('invalid_reference');
      else visit(member);
    }
  }
}

/** Whether `place` has the member `field`; of an array, whether it has elements and each of them has it. */
export function hasField(place: unknown, field: string): boolean {
  if (Array.isArray(place)) {
    return place.length > 0 && place.every((element) => !Array.isArray(element) && hasField(element, field));
  }
  return typeof place === 'object' && place !== null && Object.hasOwn(place, field);
}
