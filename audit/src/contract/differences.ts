import type { Answer } from './answer.js';

/** An answer, with the texts that are ignored in it, because the request had them. */
export interface Compared extends Pick<Answer, 'status' | 'json' | 'text'> {
  readonly asked?: readonly string[];
}

/** A shorter value can be in an answer by chance. */
const TELLING_LENGTH = 6;

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
  const write = (member: unknown) => (isNow(member) ? 'now' : withoutAsked(JSON.stringify(member), asked));
  if (json instanceof Object) return new Map(membersOf(json).map(([path, member]) => [path, write(member)]));
  return new Map(text.split(/\r?\n/).map((line, index) => [`line ${index + 1}`, withoutAsked(line, asked)]));
}

/** Returns the members of JSON that have no members, at any depth, with their paths. */
function membersOf(json: unknown, path = ''): readonly (readonly [path: string, member: unknown])[] {
  if (!(json instanceof Object)) return [];
  return Object.entries(json).flatMap(([name, member]: [string, unknown]) => {
    const inner = membersOf(member, `${path}${name}.`);
    return inner.length > 0 ? inner : [[`${path}${name}`, member] as const];
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

/** Matches a value that is not a part of a longer word or of a decimal number. */
export function wordOf(text: string): RegExp {
  return new RegExp(`(?<![\\w-]|\\d\\.)${text.replace(/\W/g, '\\$&')}(?![\\w-]|\\.\\d)`, 'g');
}

/** Returns true for an answer that has a value as a word. A short one can be there by chance. */
export function shows({ text }: Compared, value: string): boolean {
  return value.length >= TELLING_LENGTH && wordOf(value).test(text);
}

/** Says by which of its values an answer shows an account. A short reference can be anywhere by chance, but not beside the id. */
export function accountIn(
  answer: Compared,
  { id, email, referencl }: { readonly id: unknown; readonly email: string; readonly referencl: string },
): string | undefined {
  if (shows(answer, email)) return 'email';
  const isAccount = (one: object) => {
    const members = Object.entries<unknown>({ ...one });
    const hasId = members.some(([name, value]) => /id$/i.test(name) && String(value) === id);
    return hasId && members.some(([name, value]) => !/id$/i.test(name) && value === referencl);
  };
  return objectsIn(answer.json).some(isAccount) ? 'id and the reference' : undefined;
}

/**
 * Returns the rows of an answer that an earlier answer to the same request does not have, or has fewer times, and whether
 * both have the same rows. Members that differ between the two earlier answers are left out, because a counter can be any
 * number by chance.
 */
export function compareRows(after: Compared, [before, again]: Pair) {
  const varying = new Set(
    beyond(placedIn(before), placedIn(again), ({ place, text }) => `${place} ${text}`).map(({ place }) => place),
  );
  const known = rowsOf(again, varying);
  const rows = rowsOf(after, varying);
  const added = beyond(known, rows, String);
  return { added, isSame: added.length === 0 && rows.length === known.length };
}

/** Returns the items that an earlier list does not have, or has fewer times. */
function beyond<Item>(before: readonly Item[], after: readonly Item[], write: (item: Item) => string): Item[] {
  const left = new Map<string, number>();
  for (const key of before.map(write)) left.set(key, (left.get(key) ?? 0) + 1);
  return after.filter((item) => {
    const count = left.get(write(item)) ?? 0;
    left.set(write(item), count - 1);
    return count <= 0;
  });
}

/** Returns the members of JSON. Members of different rows can have the same place. */
function placedIn({ json }: Compared) {
  return membersOf(json).map(([path, member]) => ({
    place: path.replace(/(?<=^|\.)\d+(?=\.|$)/g, '#'),
    // A number of about now can be an id.
    text: typeof member === 'string' && isNow(member) ? 'now' : JSON.stringify(member),
    row: path.replace(/[^.]*$/, ''),
  }));
}

/** Returns the lines and elements of a text, and of JSON each object and array without those in it. */
function rowsOf(answer: Compared, varying: ReadonlySet<string>): readonly string[] {
  if (!(answer.json instanceof Object)) return answer.text.split(/\r?\n|(?=<)/);
  const rows = new Map<string, string>();
  for (const { place, text, row } of placedIn(answer)) {
    if (!varying.has(place)) rows.set(row, `${rows.get(row) ?? ''}${place} ${text}\n`);
  }
  return [...rows.values()];
}

/** Returns the texts and numbers of JSON, at any depth, by their paths. */
export function scalarsIn(json: unknown): ReadonlyMap<string, string | number> {
  const isScalar = (entry: readonly [string, unknown]): entry is [string, string | number] =>
    /^[sn]/.test(typeof entry[1]);
  return new Map(membersOf(json).filter(isScalar));
}

/**
 * Returns bodies with the members that tell the merchant of a row: equal in all answers of one merchant, and different in
 * those of the other, whose value each body has. An inner member is there alone, and in the objects around it.
 */
export function membersOfOwner(rows: readonly Compared[], others: readonly Compared[]): readonly object[] {
  const [first = new Map<string, string | number>(), ...same] = rows.map(({ json }) => scalarsIn(json));
  const [other = new Map<string, string | number>(), ...otherSame] = others.map(({ json }) => scalarsIn(json));
  const isOwners = ([path, value]: [string, string | number]) =>
    same.every((row) => (row.get(path) ?? value) === value) &&
    other.has(path) &&
    other.get(path) !== value &&
    otherSame.every((row) => (row.get(path) ?? other.get(path)) === other.get(path));
  return [...first].filter(isOwners).flatMap(([path]) => {
    const names = path.split('.');
    return names.map((_, at) =>
      names.slice(at).reduceRight<unknown>((inner, name) => ({ [name]: inner }), other.get(path)),
    );
  }) as object[];
}

/** Returns the object in JSON, at any depth, that has most of these values as members, or `undefined` for none. */
export function objectWith(json: unknown, values: readonly unknown[]): object | undefined {
  const count = (one: object) =>
    values.filter((value) => Object.values(one).map(String).includes(String(value))).length;
  const [best] = [...objectsIn(json)].sort((one, other) => count(other) - count(one));
  return best !== undefined && count(best) > 0 ? best : undefined;
}

/** Returns true for JSON with arrays that are all empty. */
export function isEmptyList(json: unknown): boolean {
  const arrays = objectsIn(json).filter(Array.isArray);
  return arrays.length > 0 && arrays.every(({ length }) => length === 0);
}

/** Returns the objects and arrays in JSON, at any depth. */
function objectsIn(json: unknown): readonly object[] {
  return json instanceof Object ? [json, ...Object.values(json).flatMap(objectsIn)] : [];
}
