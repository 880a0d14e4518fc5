import { URLSearchParams } from 'node:url';
import { isPlain } from '../body/is-plain.js';
import { AuthError, type AuthErrorOptions } from '../errors/auth-error.js';
import type { Guarded } from './merchant.js';
import { invalidReference } from './reference-names.js';

/** Does not name the class of the object: a caller can choose it with `__proto__`. */
const HIDDEN: AuthErrorOptions = {
  detail:
    'An object in the request does not show its members, for example a Map or a stream. Convert it before the guard.',
};

const HOLDS_NOTHING = /^\[object (?:Date|Blob|File)\]$/;
const ESCAPED = /\\["\\]/g;
/** A quote before a colon ends a name, or opens a string with a colon. */
const END_OF_NAME = /"\s*:/g;
/** The operations of a JSON Patch with a `value`, and those that ignore it. */
const WITH_VALUE = /^(?:add|replace|test)$/i;
const WITHOUT_VALUE = /^(?:copy|move|remove)$/i;

interface Walking {
  readonly hidden?: AuthErrorOptions;
  readonly onText?: (text: string, guarded: Guarded) => void;
}

/** @throws AuthError `invalid_reference` or `foreign_reference` */
export function checkReference(
  value: unknown,
  { merchant, settings }: Guarded,
  referenceNames: readonly string[],
): void {
  const text = settings.referenceNames.takesNumbers && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== 'string') throw invalidReference(referenceNames);
  if (text !== merchant.referencl) throw new AuthError('foreign_reference', { referenceNames });
}

/**
 * Checks each reference at any depth, own or inherited, and returns their number. Express 4 gives `undefined` for an
 * optional path parameter. A recursive walk would exhaust the stack.
 * @throws AuthError of `checkReference`, or `unreadable_body` for an object that hides its members
 */
export function checkReferencesIn(root: unknown, guarded: Guarded, { hidden = HIDDEN, onText }: Walking = {}): number {
  if (!isWalkable(root)) return 0;
  const { referenceNames: names } = guarded.settings;
  let found = 0;
  const objects = new Set([root]);
  // Also visits what it adds.
  for (const value of objects) {
    if (!isPlain(value)) {
      if (HOLDS_NOTHING.test(Object.prototype.toString.call(value))) continue;
      throw new AuthError('unreadable_body', hidden);
    }
    const members = value as Record<string, unknown>;
    // `for in` does not see a getter of a class.
    for (const name of names.list) {
      const reference = members[name];
      if (reference === undefined) continue;
      checkReference(reference, guarded, [name]);
      found += 1;
    }
    for (const key in value) {
      if (names.includes(key)) continue;
      const member = members[key];
      if (key === 'path' || key === 'from') checkPointer(key, members, guarded);
      if (isWalkable(member)) objects.add(member);
      else if (typeof member === 'string') onText?.(member, guarded);
    }
  }
  return found;
}

/**
 * Checks an operation of a JSON Patch (RFC 6902) whose JSON Pointer (RFC 6901) or list of segments names the reference.
 * The media type does not decide: the caller chooses it.
 */
function checkPointer(key: 'path' | 'from', members: Record<string, unknown>, guarded: Guarded): void {
  const { op, value, [key]: pointer } = members;
  // A lenient handler ignores `op`, and fast-json-patch reads ["copy"] as "copy".
  const hasValue = op === undefined || (typeof op === 'string' && !WITHOUT_VALUE.test(op));
  if (hasValue && (key === 'from' || (value === undefined && !WITH_VALUE.test(String(op))))) return;
  const segments = Array.isArray(pointer) ? pointer : typeof pointer === 'string' ? pointer.split('/') : [];
  const names = op === undefined ? segments.slice(1).slice(-1) : segments;
  for (const segment of names as readonly unknown[]) {
    if (typeof segment !== 'string') continue;
    const name = guarded.settings.referenceNames.find(segment.replaceAll('~1', '/').replaceAll('~0', '~'));
    if (name !== undefined) checkReference(hasValue ? value : undefined, guarded, [name]);
  }
}

/**
 * Checks the text of a query. `req.query` is not enough: qs stops after 1,000 members, and a handler can parse the URL
 * in another way or send it to another service.
 * @throws AuthError of `checkReference` and `checkReferencesInText`
 */
export function checkReferencesInUrl(url: string, guarded: Guarded): void {
  const { referenceNames: names } = guarded.settings;
  const start = url.indexOf('?');
  if (start === -1) return;
  // A handler cuts off one `?`, and its parser another.
  const query = url.slice(start).replace(/^\?+/, '');
  // Makes a GET a tenth faster.
  if (!names.canBeIn(query)) return;
  // Some parsers separate at `;` too.
  for (const text of new Set([query, query.replaceAll(';', '&')])) {
    for (const [key, value] of new URLSearchParams(text)) {
      // Throws for a name that qs ends at `]=`: it reads `a=b[c]=d` as a member `c`. A mounted app can parse with qs even
      // when the app of the guard does not.
      names.includes(value.slice(0, value.indexOf(']=') + 1));
      if (names.includes(key)) checkReference(value, guarded, [key]);
      else checkReferencesInJson(value, guarded);
    }
  }
}

/**
 * Checks a text that a library can parse as JSON, for example `variables` of GraphQL over HTTP and `input` of tRPC.
 * @throws AuthError of `checkReferencesInText`
 */
export function checkReferencesInJson(value: string, guarded: Guarded): void {
  const text = value.trim();
  if (!/^[{[]/.test(text) || guarded.settings.referenceNames.countIn(text) === 0) return;
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return;
  }
  checkReferencesInText(text, json, guarded);
}

/**
 * Refuses JSON with one name twice: `JSON.parse` keeps the last, and a `data` listener with another parser the first.
 * @throws AuthError of `checkReferencesIn`, or `invalid_reference` for a repeated name
 */
export function checkReferencesInText(text: string, value: unknown, guarded: Guarded): void {
  const seen = checkReferencesIn(value, guarded);
  const { referenceNames: names } = guarded.settings;
  const found: string[] = [];
  // One pattern for names with escapes would exhaust the stack on a long string.
  const plain = text.replace(ESCAPED, '__');
  if (names.countIn(plain) <= seen) return;
  for (const { index } of plain.matchAll(END_OF_NAME)) {
    const key = plain.slice(plain.lastIndexOf('"', index - 1) + 1, index);
    const name = names.find(key.includes('\\') ? (JSON.parse(`"${key}"`) as string) : key);
    if (name !== undefined) found.push(name);
  }
  if (found.length <= seen) return;
  const repeated = found.filter((name, index) => found.indexOf(name) < index);
  throw invalidReference([...new Set(repeated.length > 0 ? repeated : found)]);
}

function isWalkable(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}

/** In an array, each element must have one of the fields. */
export function hasField(place: unknown, fields: readonly string[]): boolean {
  if (typeof place !== 'object' || place === null) return false;
  if (!Array.isArray(place)) return fields.some((field) => (place as Record<string, unknown>)[field] !== undefined);
  return place.length > 0 && place.every((element) => !Array.isArray(element) && hasField(element, fields));
}
