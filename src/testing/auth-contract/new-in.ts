import { wordOf } from './rows.js';
import type { Answer } from './answer.js';

/** A shorter value can be a count, or a part of a text, by chance. */
const TELLING_LENGTH = 6;

/**
 * Returns true when an answer has a value where an earlier answer to the same request has something else. A public list
 * can show each merchant's reference at all times.
 */
export function newIn(after: Answer, before: Answer | undefined, value: string): boolean {
  const known = new Set(before && partsOf(before));
  return partsOf(after).some((part) => !known.has(part) && holds(part, value));
}

/** Returns the lines of a text, and of JSON each object and array without the objects in it. */
function partsOf({ text, json }: Answer): readonly string[] {
  if (!(json instanceof Object)) return text.split(/\r?\n/);
  const members = Object.entries(json as object);
  const inner = members.filter(([, member]) => member instanceof Object);
  const own = members.filter(([, member]) => !(member instanceof Object));
  const line = own.map(([name, member]) => JSON.stringify({ [name]: member as unknown })).join('');
  return [line, ...inner.flatMap(([, member]) => partsOf({ json: member } as Answer))];
}

/** Returns true for a part with this value. A short one has to be a whole member whose name ends as that of an id does. */
function holds(part: string, value: string): boolean {
  if (value.length >= TELLING_LENGTH) return wordOf(value).test(part);
  return new RegExp(`(?:id|cl|ref|reference)":"?${value.replace(/\W/g, '\\$&')}"?}`, 'i').test(part);
}
