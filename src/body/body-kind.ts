import { types } from 'node:util';

/** The kinds of values that can be in `req.body`. The compiler checks that a `switch` handles each of them. */
export type BodyKind =
  /** `undefined`, because nothing has set it. */
  | 'absent'
  /** A string or bytes: the text of a body that is not parsed yet. */
  | 'text'
  /** A value without members, such as the `{}` that a parser leaves when it skips a body. */
  | 'empty'
  /** A value whose members the ownership check sees. */
  | 'visible'
  /** Anything else, which can hold text that the ownership check does not see. */
  | 'opaque';

export function kindOf(value: unknown): BodyKind {
  if (value === undefined) return 'absent';
  if (typeof value === 'string') return value === '' ? 'empty' : 'text';
  if (typeof value === 'function') return 'opaque';
  return typeof value === 'object' && value !== null ? kindOfObject(value) : 'empty';
}

function kindOfObject(value: object): BodyKind {
  const prototype = Object.getPrototypeOf(value) as object | null;
  const hasMembers = Object.keys(value).length > 0;
  if (isPlain(prototype)) return hasMembers ? 'visible' : 'empty';
  if (types.isUint8Array(value)) return hasMembers ? 'text' : 'empty';
  if (Array.isArray(value)) return hasMembers ? 'visible' : 'empty';
  if (isPairs(value) || types.isSet(value)) return hasMembers || !value.keys().next().done ? 'visible' : 'empty';
  if (ArrayBuffer.isView(value) || types.isBoxedPrimitive(value) || isStream(value)) return 'opaque';
  // multer leaves an object without a prototype when it has read all fields of the form.
  if (hasMembers || prototype === null) return 'visible';
  return isOfClass(prototype) ? 'opaque' : 'visible';
}

/** Returns true for `Object.prototype`, of every realm (`node:vm`). */
function isPlain(prototype: object | null): boolean {
  if (prototype === Object.prototype) return true;
  return prototype !== null && Object.getPrototypeOf(prototype) === null && isOfClass(prototype);
}

type Pairs = Map<unknown, unknown> | URLSearchParams | FormData | Headers;

/** Returns true for a built-in container of key-value pairs. A `Map` can be of another realm (`node:vm`). */
export function isPairs(value: object): value is Pairs {
  // Returns early for a plain object, because reading the globals FormData and Headers is slow.
  if (Object.getPrototypeOf(value) === Object.prototype) return false;
  if (types.isMap(value) || value instanceof URLSearchParams) return true;
  return value instanceof FormData || value instanceof Headers;
}

/**
 * Returns true for a value inside a body that shows no members, and can hold some or their text. Dates and files hold
 * none, and a stream of Node.js counts as a file.
 */
export function hidesMembers(value: object): boolean {
  if (types.isDate(value) || value instanceof Blob || isStream(value)) return false;
  return kindOf(value) === 'opaque';
}

function isStream(value: object): boolean {
  return typeof (value as { readonly pipe?: unknown }).pipe === 'function';
}

/**
 * Returns true for the prototype of a class, and false for a plain object. A member `__proto__` in JSON can make a
 * plain object a prototype.
 */
export function isOfClass(prototype: object): boolean {
  const { constructor } = prototype;
  return typeof constructor === 'function' && constructor.prototype === prototype;
}
