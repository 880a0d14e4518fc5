import { REFERENCE_FIELD } from '../../ownership/references.js';
import type { Router } from './express-types.js';

/** A part of a path, from a slash to the next. */
interface Segment {
  readonly text: string;
  readonly isCaseSensitive: boolean;
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
/** Matches a wildcard: `*` and `/*` in Express 4, `/*name` and `/{*name}` in Express 5. */
const WILDCARD = /^\/?(\*|\*\w+|\{\*\w+\})$/;
const REFERENCE_PARAMETER = new RegExp(`[:*<]"?${REFERENCE_FIELD}\\b`);

/** Returns the place for a path of a router that is mounted at `mount`. */
export function placeAt(mount: Place, router: Router, path: unknown, isPrefix: boolean): Place {
  const { caseSensitive: isCaseSensitive = false, mergeParams = false, strict = false } = router;
  const isStrict = strict && !isPrefix;
  const parts = typeof path === 'string' ? splitPath(isStrict ? path : path.replace(/\/+$/, '')) : [String(path)];
  return {
    segments: [...mount.segments, ...parts.map((text) => ({ text, isCaseSensitive }))],
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

/** Returns true when the last segments of a place, as many as its own path has, have this parameter. */
export function hasParameter({ segments }: Place, mount: Place, name: string): boolean {
  const parameter = new RegExp(`[:*<]"?${name}\\b`);
  return segments.slice(mount.segments.length).some(({ text }) => parameter.test(text));
}

/** Returns true when a path is not the same for all requests. */
export function isVariable({ segments }: Place): boolean {
  return segments.some(({ text }) => /[^\w/.~-]/.test(text));
}

/** Returns the segments that hold the parameter `refercence_cl`. */
export function referencesIn({ segments }: Place): number[] {
  return [...segments.keys()].filter((index) => REFERENCE_PARAMETER.test(segments[index]?.text ?? ''));
}

/** Returns true when it is certain that every request that reaches `inner` has a path of `outer`. */
export function covers(outer: Place, inner: Place): boolean {
  const last = outer.segments.at(-1)?.text ?? '';
  const isWild = WILDCARD.test(last);
  const head = isWild ? outer.segments.slice(0, -1) : outer.segments;
  if (!head.every((segment, index) => coversSegment(segment, inner.segments[index]))) return false;
  if (isWild) return coversRest(last, inner.segments[head.length]?.text, head.length === 0);
  if (outer.isPrefix) return true;
  return !inner.isPrefix && inner.segments.length === head.length && (!outer.isStrict || inner.isStrict);
}

function coversSegment(outer: Segment, inner: Segment | undefined): boolean {
  if (inner === undefined) return false;
  if (outer.text === inner.text) return !outer.isCaseSensitive || inner.isCaseSensitive;
  return PARAMETER.test(outer.text) && SINGLE.test(inner.text);
}

/**
 * Returns true when a wildcard covers the rest of a path. A wildcard needs a slash, and `/*name` also needs text after
 * it.
 */
function coversRest(wildcard: string, next: string | undefined, isRoot: boolean): boolean {
  const needsText = /^\/\*\w/.test(wildcard);
  if (next === undefined) return isRoot && !needsText;
  return SINGLE.test(next) || (WILDCARD.test(next) && (!needsText || /^\/\*\w/.test(next)));
}
