import { type Place, showPlace } from './place.js';
import { type BodyParser, type Passed, protectionOf } from './protection.js';
import type { BlindSpot } from './route-audit.js';

const EXPECT = 'If it needs no guard, expect this finding in the test.';

const KINDS = {
  function: {
    reason: 'A function that is mounted at a path can answer requests, as a proxy does.',
    fix: `Mount it after requireBearer, or a body parser before it without a path. ${EXPECT}`,
  },
  otherApp: {
    reason: 'This is an app of another framework, so its routes are unknown.',
    fix: `Mount it after requireBearer. ${EXPECT}`,
  },
  unknownPath: {
    reason: 'The package router before 2.3 does not expose the path of a mount, so nothing below it can be checked.',
    fix: 'Update it: npm update router.',
  },
  subApp: {
    reason: 'This is an app that is mounted in an app, and Express does not expose it.',
    fix: 'Name all sub-apps that are mounted at this path in apps, or mount routers in their place.',
  },
  wrapped: {
    reason: 'A package has wrapped this function and keeps nothing of it, so it can be a router.',
    fix: `Mount it with a router of Express, without the wrapper. A guard and a router need none. ${EXPECT}`,
  },
  noMark: {
    reason: 'This has the name of a handler of express-merchant-auth without its mark, so it does not count.',
    fix: 'Mount the handler itself with a router of Express, without a wrapper.',
  },
  version: {
    reason:
      'This handler is of a version of express-merchant-auth that this package does not know, so it does not count.',
    fix: 'Update both: npm update express-merchant-auth express-merchant-auth-audit.',
  },
} as const;

/** A function that the audit cannot see into, and its kind. `place` is where it is mounted, as far as that is known. */
export interface BlindStep {
  readonly kind: 'blind';
  readonly of: keyof typeof KINDS;
  readonly spot: BlindSpot;
  readonly place: Place;
}

/**
 * Yields a blind spot, after the parsers that get no body before it.
 * @param path the path of the function, or `null` where only that of its router, `place`, is known
 */
export function* blindSpot(
  of: BlindStep['of'],
  handler: string,
  place: Place,
  passed: readonly Passed[],
  path: string | null = showPlace(place),
): Generator<BlindStep | BodyParser> {
  const { guard, idle } = protectionOf(place, undefined, passed);
  yield* idle;
  yield { kind: 'blind', of, spot: { path, handler, isBehindGuard: guard === 'bearer', ...KINDS[of] }, place };
}
