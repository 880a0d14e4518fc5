import { BARE, type Comparison, measure, type Side } from '../harness/measure.js';
import type { Row } from '../harness/report.js';
import { generateKey, type Key, MERCHANTS } from './keys.js';
import { prepareRequests, sideOf } from './sides.js';

const MINE = 'complete guard';
const OTHERS = [
  'bare Express, setImmediate',
  'express-jwt',
  'express-oauth2-jwt-bearer',
  'passport-jwt, KeyObject',
  'passport-jwt, string',
] as const;

/** More tokens than the cache of the guard holds, so that it has dropped each one before it comes again. */
const NEW_TOKENS = MERCHANTS * 1.2;

function comparisonOf(algorithm: Key['algorithm']): Comparison {
  const key = generateKey(algorithm);
  const known = prepareRequests(key, 1_000);
  const mine = sideOf({ guard: MINE, key }, known);
  const fresh: Side = { ...mine, requests: prepareRequests(key, NEW_TOKENS) };
  const others = OTHERS.map((guard) => [guard, sideOf({ guard, key }, known)] as const);
  return {
    bare: sideOf({ guard: BARE, key }, known),
    sides: { [MINE]: mine, [`${MINE}, new tokens`]: fresh, ...Object.fromEntries(others) },
    connections: 32,
    ms: 120,
  };
}

const BOTH = { [BARE]: 0.9, 'bare Express, setImmediate': 0.7, 'express-oauth2-jwt-bearer': 2.4 };

/** Measures all guards with good tokens, and this one with tokens that it has not seen. */
export const guard: Row = {
  reference: MINE,
  targets: { HS256: { ...BOTH, 'express-jwt': 1.2 }, RS256: { ...BOTH, 'express-jwt': 1.75 } },
  measure: async (run) => ({
    HS256: await measure(comparisonOf('HS256'), run),
    RS256: await measure(comparisonOf('RS256'), run),
  }),
};
