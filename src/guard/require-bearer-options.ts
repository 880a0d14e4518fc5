import { createBodyReader } from '../body/read-body.js';
import type { Respond } from '../http/middleware.js';
import { respondJson } from '../http/answer.js';
import { checkCopy } from '../base/another-copy.js';
import { givenOptions } from '../base/check-options.js';
import {
  asGiven,
  callback,
  instanceOf,
  oneOf,
  type OptionParsers,
  parseOptions,
  wholeNumber,
} from '../base/parse-options.js';
import { type OwnershipSettings, REFERENCE_MODES } from '../ownership/merchant.js';
import { parseReferenceNames } from '../ownership/reference-names.js';
import { Guard } from './guard.js';
import { checkNoStore, GUARD_OPTIONS, guardConfig, type GuardOptions } from './guard-options.js';

/** The options of `requireBearer`. */
export interface RequireBearerOptions extends GuardOptions {
  /**
   * A guard of `createGuard`, in place of `userStore`, `tokens` and `storeTimeoutMs`. Default: a guard with these three
   * options.
   */
  readonly guard?: Guard;
  /**
   * Decides about a request with a reference that is not the caller's own. `'own'` refuses it. `'reported'` only reports
   * it as an event, for a service whose merchants still send other values. `'unchecked'` does not look at parameters,
   * query or body, and is for routes with `requireOwnReference()` after their parser. Default `'own'`, so that
   * no route is forgotten.
   */
  readonly reference?: 'own' | 'reported' | 'unchecked';
  /**
   * The names of the merchant reference in requests, for example `['merchantId', 'wallet_id']`. An integer counts as its
   * decimal text. Other spellings of a name are refused. Leave out a name that also stands for another account. Default
   * `['refercence_cl']`, which the list replaces.
   */
  readonly referenceNames?: readonly string[];
  /**
   * The largest JSON body that the guard reads, in bytes. A larger one gets a 400. Default 102,400, as in
   * `express.json()`.
   */
  readonly bodyLimit?: number;
  /** Writes the answer to a refused request. Default: the status, the headers and the JSON body of the error. */
  readonly respond?: Respond;
}

type OwnOptions = Omit<RequireBearerOptions, 'guard' | keyof GuardOptions>;

/** @internal */
export const BEARER_OPTIONS = {
  reference: oneOf(REFERENCE_MODES),
  referenceNames: parseReferenceNames,
  bodyLimit: wholeNumber({ least: 1, fallback: 102_400 }),
  respond: callback<Respond>(respondJson),
} satisfies OptionParsers<OwnOptions>;

const parseGuard = instanceOf(Guard, '. It can be undefined because of an import cycle');

/** An explicit `undefined` must not disable the account check. */
export function parseRequireBearer(args: [options?: RequireBearerOptions]): {
  readonly guard: Guard;
  readonly settings: OwnershipSettings;
} {
  const options = givenOptions('requireBearer', args);
  checkCopy('requireBearer: the guard', options, Guard);
  checkNoStore('requireBearer', options);
  if (options instanceof Guard)
    throw new TypeError('requireBearer takes the guard as an option: requireBearer({ guard }).');
  const { guard, bodyLimit: bytes, ...settings } = parse(options);
  const readBody = createBodyReader({ bytes }, settings.referenceNames.leastBytes);
  return { guard, settings: { ...settings, realm: guard.realm, readBody } };
}

function parse(options: RequireBearerOptions) {
  if ('guard' in Object(options)) {
    return parseOptions('requireBearer', options, { guard: parseGuard, ...BEARER_OPTIONS });
  }
  const parsers = { ...GUARD_OPTIONS, guard: asGiven<undefined>, ...BEARER_OPTIONS };
  const { userStore, tokens, storeTimeoutMs, ...own } = parseOptions('requireBearer', options, parsers);
  const guard = new Guard(guardConfig('requireBearer', options, { userStore, tokens, storeTimeoutMs }));
  return { ...own, guard };
}
