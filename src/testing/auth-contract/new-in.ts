import type { Answer } from './answer.js';
import { TELLING_LENGTH, wordOf } from './differences.js';

/**
 * Returns true when an answer has a value where an earlier answer to the same request has something else. A public list
 * can show each merchant's reference at all times.
 */
export function newIn(after: Answer, before: Answer | undefined, value: string): boolean {
  const known = new Map<string, number>();
  for (const part of before ? partsOf(before) : []) known.set(part, (known.get(part) ?? 0) + 1);
  return partsOf(after).some((part) => {
    // Two rows of one merchant can look the same.
    const left = known.get(part) ?? 0;
    known.set(part, left - 1);
    return left <= 0 && holds(part, value);
  });
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
