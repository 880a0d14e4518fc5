import type { Answer } from './answer.js';

/** An answer, with the texts that are ignored in it, because the request had them. */
export interface Compared extends Pick<Answer, 'status' | 'json' | 'text'> {
  readonly asked?: readonly string[];
}

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

/** A shorter value can be a count, or a part of a text, by chance. */
export const TELLING_LENGTH = 6;

/** Matches a value that is not a part of a longer word. */
export function wordOf(text: string): RegExp {
  return new RegExp(`(?<![\\w-])${text.replace(/\W/g, '\\$&')}(?![\\w-])`, 'g');
}

/** Returns true for an answer with this value, as a whole member or as a word of a text. */
export function shows({ text, json }: Compared, value: string): boolean {
  return hasMember(json, value) || (value.length > 3 && wordOf(value).test(text));
}

function hasMember(json: unknown, value: string): boolean {
  if (typeof json === 'string' || typeof json === 'number') return String(json) === value;
  return Object.values(json ?? {}).some((member) => hasMember(member, value));
}
