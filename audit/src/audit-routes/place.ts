import type { Layer, Router } from './express-types.js';

/** A part of a path, from a slash to the next. */
interface Segment {
  readonly text: string;
  readonly isCaseSensitive: boolean;
  /** True where the path of a layer starts. A router sees `/` there, even for the path where it is mounted. */
  readonly isFirst: boolean;
  /** True for a part that matches the rest of a path. */
  readonly isWildcard: boolean;
}

/** Describes the requests that reach a handler, by their path from the root of the app. */
export interface Place {
  readonly segments: readonly Segment[];
  /** The first segment whose parameters the handler sees in `req.params`. */
  readonly visibleFrom: number;
  /** True when longer paths reach the handler too. */
  readonly isPrefix: boolean;
  /** True when a slash at the end of the path matters. */
  readonly isStrict: boolean;
}

export const ROOT: Place = { segments: [], visibleFrom: 0, isPrefix: true, isStrict: false };

const PARAMETER = /^\/:\w+$/;
/** Matches one segment of text and parameters that cannot be empty. */
const SINGLE = /^\/[^/*?+(){}[\]|\\^$]+$/;
/** In Express 4, `/*name` matches only paths that end with `name`. */
const WILDCARDS = { express4: /^\/?\*$/, express5: /^\/?(\*\w+|\{\*\w+\})$/ };
/** Matches a wildcard that needs text after its slash. */
const FILLED_WILDCARD = /^\/\*\w/;

/** Returns the place for a path of a layer, in a router that is mounted at `mount`. */
export function placeAt(mount: Place, router: Router, layer: Layer, path: unknown): Place {
  const { caseSensitive: isCaseSensitive = false, mergeParams = false, strict = false } = router;
  const isPrefix = layer.route === undefined;
  // `/` in a router matches with and without a slash at the end, because Express writes the slash.
  const isStrict = strict && !isPrefix && path !== '/';
  const wildcard = layer.regexp ? WILDCARDS.express4 : WILDCARDS.express5;
  const parts = typeof path === 'string' ? splitPath(isStrict ? path : path.replace(/\/+$/, '')) : [String(path)];
  const own = parts.map((text, index) => ({
    text,
    isCaseSensitive,
    isFirst: index === 0,
    isWildcard: wildcard.test(text),
  }));
  return {
    segments: [...mount.segments, ...own],
    visibleFrom: mergeParams ? mount.visibleFrom : mount.segments.length,
    isPrefix,
    isStrict,
  };
}

/** Splits before each slash. The slash of an optional group `{/:id}` belongs to the group. */
function splitPath(path: string): string[] {
  return path.split(/(?<!\{)(?=\/)|(?=\{\/)/).filter((text) => text !== '');
}

export function showPlace({ segments }: Place): string {
  return segments.map(({ text }) => text).join('') || '/';
}

/** Returns the names of the parameters. */
export function parametersOf(place: Place): string[] {
  return [...showPlace(place).matchAll(/[:*]"?(\w+)/g)].map(([, name = '']) => name);
}

/** Returns the segments that hold a parameter. */
export function segmentsWith(name: string, { segments }: Place): number[] {
  const parameter = new RegExp(`[:*<]"?${name}\\b`);
  return [...segments.keys()].filter((index) => parameter.test(segments[index]?.text ?? ''));
}

/** Returns true when it is certain that every request that reaches `inner` has a path of `outer`. */
export function covers(outer: Place, inner: Place): boolean {
  const last = outer.segments.at(-1);
  const head = last?.isWildcard ? outer.segments.slice(0, -1) : outer.segments;
  if (!head.every((segment, index) => coversSegment(segment, inner.segments[index]))) return false;
  if (last?.isWildcard) return coversRest(last, inner.segments[head.length]);
  if (outer.isPrefix) return true;
  return !inner.isPrefix && inner.segments.length === head.length && (!outer.isStrict || inner.isStrict);
}

function coversSegment(outer: Segment, inner: Segment | undefined): boolean {
  if (inner === undefined) return false;
  const isSingle = SINGLE.test(inner.text);
  if (outer.text !== inner.text) return isSingle && PARAMETER.test(outer.text);
  return (isSingle || startsAs(outer, inner)) && (!outer.isCaseSensitive || inner.isCaseSensitive);
}

function coversRest(wildcard: Segment, next: Segment | undefined): boolean {
  const needsText = FILLED_WILDCARD.test(wildcard.text);
  if (next === undefined) return wildcard.isFirst && !needsText;
  const isNarrower = next.isWildcard && (!needsText || FILLED_WILDCARD.test(next.text));
  return SINGLE.test(next.text) || (isNarrower && startsAs(wildcard, next));
}

/** A guard at `/v1/*` does not run for `/v1`, but the route `/*` of a router at `/v1` does. */
function startsAs(outer: Segment, inner: Segment): boolean {
  return outer.isFirst || !inner.isFirst;
}
