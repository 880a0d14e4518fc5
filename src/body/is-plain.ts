/**
 * Returns true for an object that shows all its members to a loop: an array, a plain object of any realm (`node:vm`), or
 * an instance of a class with members of its own. Built-in containers and streams hold members that no loop shows. A
 * prototype that is not a class can have a member that an own one hides.
 */
export function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  if (prototype === Object.prototype || prototype === null || Array.isArray(value)) return true;
  const isOfClass = Object.hasOwn(prototype, 'constructor') && typeof prototype.constructor === 'function';
  if (!isOfClass || Object.prototype.toString.call(value) !== '[object Object]') return false;
  if (typeof (value as { readonly pipe?: unknown }).pipe === 'function') return false;
  return Object.getPrototypeOf(prototype) === null || Object.keys(value).length > 0;
}
