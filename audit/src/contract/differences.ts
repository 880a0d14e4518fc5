import type { Answer } from './answer.js';

/** The texts in `asked` are ignored: the request had them. */
interface Compared extends Pick<Answer, 'json' | 'text'> {
  readonly asked?: readonly string[];
}

type Shape = ReadonlyMap<string, string>;
type Pair = readonly [Compared, Compared];

/**
 * Returns members that two answers of one kind have in common, and two of another kind do not. Times and ids of
 * requests do not count: they differ within a kind.
 */
export function differencesOf(kind: Pair, otherKind: Pair): readonly string[] {
  const [one, oneAgain, other, otherAgain] = [...kind, ...otherKind].map(shapeOf) as [Shape, Shape, Shape, Shape];
  return [...new Set([...one.keys(), ...other.keys()])].filter((name) => {
    const isStable = one.get(name) === oneAgain.get(name) && other.get(name) === otherAgain.get(name);
    const times = [one, oneAgain, other, otherAgain].map((shape) => Number(shape.has(name))).join('');
    return times === '1100' || times === '0011' || (isStable && one.get(name) !== other.get(name));
  });
}

/** Returns the leaves by their paths. Those of a text are its lines. */
function shapeOf({ json, text, asked = [] }: Compared): Shape {
  const leaves = json instanceof Object ? leavesOf(json) : leavesOf(text.split(/\r?\n/), ['line']);
  const withoutAsked = (leaf: string) =>
    asked
      .flatMap((value) => [value, encodeURIComponent(value)])
      .reduce((shown, value) => shown.replace(wordOf(value), '...'), leaf);
  return new Map(leaves.map(([path, leaf]) => [path, isNow(leaf) ? 'now' : withoutAsked(JSON.stringify(leaf))]));
}

/** Returns the leaves of JSON with their paths. */
export function leavesOf(json: unknown, path: readonly string[] = []): readonly (readonly [string, unknown])[] {
  const members = json instanceof Object ? Object.entries(json) : [];
  if (members.length === 0) return [[path.join('.'), json]];
  return members.flatMap(([name, member]) => leavesOf(member, [...path, name]));
}

/** Returns texts and numbers, at any depth, by their paths. */
export function scalarsIn(json: unknown): ReadonlyMap<string, string | number> {
  const isScalar = (entry: readonly [string, unknown]): entry is [string, string | number] =>
    /^[sn]/.test(typeof entry[1]);
  return new Map(leavesOf(json).filter(isScalar));
}

/** Returns objects and arrays, at any depth. */
export function objectsIn(json: unknown): readonly object[] {
  return json instanceof Object ? [json, ...Object.values(json).flatMap(objectsIn)] : [];
}

/** Two answers in the same second can have the same time by chance. */
function isNow(leaf: unknown): boolean {
  const isSeconds = /^\d{10}$/.test(String(leaf));
  const time = isSeconds ? Number(leaf) * 1000 : typeof leaf === 'string' ? Date.parse(leaf) : Number(leaf);
  return Math.abs(time - Date.now()) < 60_000;
}

/** Matches outside of longer words and decimal numbers. */
function wordOf(text: string): RegExp {
  return new RegExp(`(?<![\\w-]|\\d\\.)${text.replace(/\W/g, '\\$&')}(?![\\w-]|\\.\\d)`, 'g');
}

/** Counts a value as a word. */
export function timesIn(text: string, value: unknown): number {
  return text.includes(String(value)) ? (text.match(wordOf(String(value)))?.length ?? 0) : 0;
}

/** A short value can be there by chance. */
export function shows({ text }: Pick<Answer, 'text'>, value: string): boolean {
  return value.length >= 6 && timesIn(text, value) > 0;
}

/** Requests often name a column in camel case. */
export function spellingsOf(name: string): readonly string[] {
  const camel = name.replace(/(?<=[a-z\d])_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const snake = name.replace(/(?<=[a-z\d])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return [...new Set([name, camel, snake])];
}
