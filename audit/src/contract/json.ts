import type { Answer } from './answer.js';

/** The texts in `asked` are ignored: the request had them. */
interface Compared extends Pick<Answer, 'json' | 'text'> {
  readonly asked?: readonly string[];
}

/** Returns the members in which an answer differs from two of another kind. Those that differ in the two do not count. */
export function differencesOf(one: Compared, again: Compared, other: Compared): readonly string[] {
  const shapes = [one, again, other].map(shapeOf);
  return [...new Set(shapes.flatMap((shape) => [...shape.keys()]))].filter((name) => {
    const [first, second, third] = shapes.map((shape) => shape.get(name));
    const isOften = (first === undefined) === (second === undefined);
    return isOften && first !== third && (third === undefined || first === second);
  });
}

/** Returns the leaves by their paths. Those of a text are its lines. */
function shapeOf({ json, text, asked = [] }: Compared): ReadonlyMap<string, string> {
  const leaves = leavesOf(json instanceof Object ? json : text.split(/\r?\n/));
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
  return new Map(leavesOf(json).filter((leaf): leaf is [string, string | number] => /^[sn]/.test(typeof leaf[1])));
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
