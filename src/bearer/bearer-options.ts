import { createBodyReader } from '../body/read-body.js';
import type { Respond } from '../http/middleware.js';
import { respondJson } from '../http/answer.js';
import { checkCopy } from '../options/another-copy.js';
import { checkCalled, checkOptions, givenOptions } from '../options/check-options.js';
import { callback, type OptionParsers, parseOptions, wholeNumber } from '../options/parse-options.js';
import type { OwnershipSettings } from '../ownership/merchant.js';
import { parseReferenceNames } from '../ownership/reference-names.js';
import { Guard } from './guard.js';
import { checkNoStore, GUARD_OPTIONS, type GuardOptions, parseGuardOptions } from './guard-options.js';

export interface RequireBearerOptions extends GuardOptions {
  /**
   * Checks the token and the account. It is what `createGuard` returned, for a guard that other code uses too. Then
   * `userStore`, `tokens` and `storeTimeoutMs` are not allowed. Default: a guard with these three options.
   */
  readonly guard?: Guard;
  /**
   * Decides what happens to a request with a reference that is not the caller's own. `'own'` refuses it.
   * `'reported'` only reports it as an event, for a service whose merchants still send other values. `'unchecked'` does
   * not look at parameters, query or body, and is for routes with `requireOwnReference()` after their parser. Default
   * `'own'`, so that no route is forgotten.
   */
  readonly reference?: 'own' | 'reported' | 'unchecked';
  /**
   * The names of the merchant reference in requests, for example `['merchantId', 'wallet_id']`. The guard checks each of them
   * as it checks `refercence_cl`, and takes an integer as its decimal text. Other spellings of a name are refused. Leave
   * out a name that also stands for another account. Default `['refercence_cl']`, which the list replaces.
   */
  readonly referenceNames?: readonly string[];
  /**
   * The largest JSON body that the guard reads, in bytes. A larger body gets 400 `invalid_body`. Default 102,400, as in
   * `express.json()`.
   */
  readonly bodyLimit?: number;
  /** Writes the answer to a refused request. Default: the status, the headers and the JSON body of the error. */
  readonly respond?: Respond;
}

type OwnOptions = Omit<RequireBearerOptions, 'guard' | keyof GuardOptions>;

/** @internal */
export const BEARER_OPTIONS = {
  reference(where, value: unknown = 'own') {
    if (value === 'own' || value === 'reported' || value === 'unchecked') return value;
    throw new TypeError(`${where} must be 'own', 'reported' or 'unchecked'.`);
  },
  referenceNames: parseReferenceNames,
  bodyLimit: wholeNumber({ least: 1, fallback: 102_400 }),
  respond: callback<Respond>(respondJson),
} satisfies OptionParsers<OwnOptions>;

const NO_GUARD =
  'requireBearer: guard must be what createGuard(...) returned. It can be undefined because of an import cycle.';

/** @param args of `requireBearer`. An explicit `undefined` must not disable the account check */
export function parseRequireBearer(args: [options?: RequireBearerOptions]): {
  readonly guard: Guard;
  readonly settings: OwnershipSettings;
} {
  const options = givenOptions('requireBearer', args);
  checkCalled('requireBearer', options);
  checkCopy('requireBearer: the guard', options, Guard);
  checkNoStore('requireBearer', options);
  if (options instanceof Guard)
    throw new TypeError('requireBearer takes the guard as an option: requireBearer({ guard }).');
  const hasGuard = 'guard' in Object(options);
  checkOptions('requireBearer', options, { ...(!hasGuard && GUARD_OPTIONS), guard: true, ...BEARER_OPTIONS });
  const { guard: given, reference, referenceNames, bodyLimit, respond, ...guardOptions } = options;
  checkCopy('requireBearer: guard', given, Guard);
  if (hasGuard && !(given instanceof Guard)) throw new TypeError(NO_GUARD);
  const guard = given ?? new Guard(parseGuardOptions('requireBearer', guardOptions));
  const own = parseOptions('requireBearer', { reference, referenceNames, bodyLimit, respond }, BEARER_OPTIONS);
  const { bodyLimit: bytes, ...settings } = own;
  const readBody = createBodyReader({ bytes }, settings.referenceNames.room);
  return { guard, settings: { ...settings, realm: guard.realm, readBody } };
}
