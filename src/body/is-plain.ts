/**
 * Returns true for an object whose members a loop finds:
 * - an array, or a plain object of any realm (`node:vm`)
 * - a dictionary with empty prototypes, as parsers make it
 * - an instance of a class that has own members
 *
 * Returns false for built-in containers and streams, and when the prototype has members and is not that of a class: an
 * own member can hide one of them.
 */
export function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  if (prototype === Object.prototype || prototype === null || Array.isArray(value)) return true;
  if (Reflect.ownKeys(prototype).length === 0) return isPlain(prototype);
  const isOfClass = Object.hasOwn(prototype, 'constructor') && typeof prototype.constructor === 'function';
  if (!isOfClass || Object.prototype.toString.call(value) !== '[object Object]') return false;
  if (typeof (value as { readonly pipe?: unknown }).pipe === 'function') return false;
  return Object.getPrototypeOf(prototype) === null || Object.keys(value).length > 0;
}
