import type { Answer } from './answer.js';

/** An answer, with the texts that are ignored in it, because the request had them. */
export interface Compared extends Pick<Answer, 'status' | 'json' | 'text'> {
  readonly asked?: readonly string[];
}

/** A shorter value can be a count, or a part of a text, by chance. */
export const TELLING_LENGTH = 6;

type Pair = readonly [Compared, Compared];
type Leaves = ReadonlyMap<string, string>;

/**
 * Returns the members that two answers of one kind have in common, and two of another kind do not. Times, ids of requests
 * and the like are no difference, because they differ within a kind.
 */
export function differencesOf(kind: Pair, otherKind: Pair): readonly string[] {
  const [one, oneAgain, other, otherAgain] = [...kind, ...otherKind].map(leavesOf) as [Leaves, Leaves, Leaves, Leaves];
  const names = new Set([...one.keys(), ...other.keys()]);
  return [...names].filter((name) => {
    const isStable = one.get(name) === oneAgain.get(name) && other.get(name) === otherAgain.get(name);
    const times = [one, oneAgain, other, otherAgain].map((leaves) => Number(leaves.has(name))).join('');
    return times === '1100' || times === '0011' || (isStable && one.get(name) !== other.get(name));
  });
}

/** Returns the members of JSON, at any depth, by their paths. The members of a text are its lines. */
function leavesOf({ json, text, asked = [] }: Compared): Leaves {
  if (json instanceof Object) return new Map(membersOf(json, asked, ''));
  return new Map(text.split(/\r?\n/).map((line, index) => [`line ${index + 1}`, withoutAsked(line, asked)]));
}

function membersOf(json: object, asked: readonly string[], path: string): [string, string][] {
  return Object.entries(json).flatMap(([name, member]: [string, unknown]): [string, string][] => {
    const isEmpty = member instanceof Object && Object.keys(member).length === 0;
    if (member instanceof Object && !isEmpty) return membersOf(member, asked, `${path}${name}.`);
    return [[path + name, isNow(member) ? 'now' : withoutAsked(JSON.stringify(member), asked)]];
  });
}

/** Returns true for a time of about now, because two answers in the same second can have the same one by chance. */
function isNow(member: unknown): boolean {
  if (typeof member !== 'string' && typeof member !== 'number') return false;
  const isSeconds = /^\d{10}$/.test(String(member));
  const time = typeof member === 'number' ? member : Date.parse(member);
  return Math.abs((isSeconds ? Number(member) * 1000 : time) - Date.now()) < 60_000;
}

function withoutAsked(text: string, asked: readonly string[]): string {
  return asked
    .flatMap((value) => [value, encodeURIComponent(value)])
    .reduce((shown, value) => shown.replace(wordOf(value), '...'), text);
}

/** Matches a value that is not a part of a longer word. */
function wordOf(text: string): RegExp {
  return new RegExp(`(?<![\\w-])${text.replace(/\W/g, '\\$&')}(?![\\w-])`, 'g');
}

/**
 * Returns true when an answer has a value where an earlier answer to the same request has something else. A public list
 * can show each merchant's reference at all times.
 */
export function newIn(after: Compared, before: Compared | undefined, value: string): boolean {
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
function partsOf({ text, json }: Pick<Compared, 'text' | 'json'>): readonly string[] {
  if (!(json instanceof Object)) return text.split(/\r?\n/);
  const members = Object.entries(json as object);
  const inner = members.filter(([, member]) => member instanceof Object);
  const own = members.filter(([, member]) => !(member instanceof Object));
  const line = own.map(([name, member]) => JSON.stringify({ [name]: member as unknown })).join('');
  return [line, ...inner.flatMap(([, member]) => partsOf({ json: member, text: '' }))];
}

/** Returns true for a part with this value. A short one has to be a whole member whose name ends as that of an id does. */
function holds(part: string, value: string): boolean {
  if (value.length >= TELLING_LENGTH) return wordOf(value).test(part);
  return new RegExp(`(?:id|cl|ref|reference)":"?${value.replace(/\W/g, '\\$&')}"?}`, 'i').test(part);
}

/** Returns the members of JSON, at any depth, that have a value as text or number, with another value in its place. */
export function membersWith(json: unknown, value: string, other: string): readonly (readonly [string, unknown])[] {
  if (!(json instanceof Object)) return [];
  return Object.entries(json).flatMap(([name, member]: [string, unknown]) => {
    if (member === value) return [[name, other]];
    return member === Number(value) ? [[name, Number(other)]] : membersWith(member, value, other);
  });
}
