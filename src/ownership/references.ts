import { URLSearchParams } from 'node:url';
import { isPlain } from '../body/is-plain.js';
import { AuthError, type AuthErrorOptions } from '../errors/auth-error.js';
import type { Guarded } from './merchant.js';
import { invalidReference } from './reference-names.js';

/** The text does not name the class, because a caller can choose it with `__proto__`. */
const HIDDEN: AuthErrorOptions = {
  detail:
    'An object in the request does not show its members, for example a Map or a stream. Convert it before the guard.',
};

/** Matches the tags of objects that hold no members. */
const HOLDS_NOTHING = /^\[object (?:Date|Blob|File)\]$/;
/** Matches the escapes of the two characters that would end a string too early. */
const ESCAPED = /\\["\\]/g;
/** Matches the end of a name. No other quote comes before a colon, except one that opens a string with a colon. */
const END_OF_NAME = /"\s*:/g;
/** The operations of a JSON Patch: those with a `value`, and those that ignore it. */
const WITH_VALUE = /^(?:add|replace|test)$/i;
const WITHOUT_VALUE = /^(?:copy|move|remove)$/i;

interface Walking {
  /** The texts about an object that does not show its members. */
  readonly hidden?: AuthErrorOptions;
  /** Called with each member that is a text. */
  readonly onText?: (text: string, guarded: Guarded) => void;
}

/**
 * @param referenceNames the names for the texts of the refusal
 * @throws AuthError unless it is a string, or an integer where the names take one, and exactly the caller's own
 */
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
 * Checks every member that has one of the names, own or inherited, at any depth, in objects and arrays (including their
 * named members), and returns the number of these. `undefined` counts as absent, because Express 4 gives it for an optional
 * path parameter. The walk does not recurse, so that no depth exhausts the stack, and visits an object once, so that it
 * ends for cycles.
 * @throws AuthError for a member that is not valid or not the caller's own, and for an object that hides its members
 */
export function checkReferencesIn(root: unknown, guarded: Guarded, { hidden = HIDDEN, onText }: Walking = {}): number {
  if (!isWalkable(root)) return 0;
  const { referenceNames: names } = guarded.settings;
  let found = 0;
  const objects = new Set([root]);
  // The loop also visits what it adds.
  for (const value of objects) {
    if (!isPlain(value)) {
      if (HOLDS_NOTHING.test(Object.prototype.toString.call(value))) continue;
      throw new AuthError('unreadable_body', hidden);
    }
    const members = value as Record<string, unknown>;
    // The loop over keys does not see a getter of a class.
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
 * Checks an operation of a JSON Patch (RFC 6902) whose JSON Pointer (RFC 6901), path or list of segments names the
 * reference. The media type does not decide, because the caller chooses it.
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
 * Checks the query of a URL before parsing. The parsed query is not enough, because parsers stop after 1,000 members
 * and a host can choose another parser. A handler can also send the URL to another service.
 * @throws AuthError for a reference that is not valid or not the caller's own
 */
export function checkReferencesInUrl(url: string, guarded: Guarded): void {
  const { referenceNames: names } = guarded.settings;
  const start = url.indexOf('?');
  if (start === -1) return;
  // Some handlers cut off one `?`, and their parser cuts off another.
  const query = url.slice(start).replace(/^\?+/, '');
  // Returns early for nearly all queries, which makes a GET a tenth faster.
  if (!names.canBeIn(query)) return;
  // Some parsers separate at `;` too.
  for (const text of new Set([query, query.replaceAll(';', '&')])) {
    for (const [key, value] of new URLSearchParams(text)) {
      if (names.includes(key)) checkReference(value, guarded, [key]);
      else checkReferencesInJson(value, guarded);
    }
  }
}

/**
 * Checks a value of the query that a library can parse as JSON, for example `variables` of GraphQL over HTTP and `input`
 * of tRPC.
 * @throws AuthError for a reference that is repeated, not valid or not the caller's own
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
 * Checks JSON that other code can parse again, for example a `data` listener. `JSON.parse` keeps the last of two members
 * with one name, and another parser can keep the first. The text therefore must not have more names than its value.
 * @throws AuthError for a reference that is repeated, not valid or not the caller's own
 */
export function checkReferencesInText(text: string, value: unknown, guarded: Guarded): void {
  const seen = checkReferencesIn(value, guarded);
  const { referenceNames: names } = guarded.settings;
  const found: string[] = [];
  // A single pattern for names with escapes would exhaust the stack for a long string.
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

/** Returns true for an object that can hold named members. The elements of typed arrays have no names. */
function isWalkable(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}

/** Returns true when `place` has one of the members. For an array, each of its elements must have one. */
export function hasField(place: unknown, fields: readonly string[]): boolean {
  if (typeof place !== 'object' || place === null) return false;
  if (!Array.isArray(place)) return fields.some((field) => (place as Record<string, unknown>)[field] !== undefined);
  return place.length > 0 && place.every((element) => !Array.isArray(element) && hasField(element, fields));
}
