import { createBodyReader } from '../body/read-body.js';
import type { Respond } from '../http/middleware.js';
import { respondJson } from '../http/answer.js';
import { checkCalled, checkOptions } from '../options/check-options.js';
import { callback, type OptionParsers, parseOptions, wholeNumber } from '../options/parse-options.js';
import type { OwnershipSettings } from '../ownership/merchant.js';
import { Guard } from './guard.js';
import { checkNoStore, GUARD_OPTIONS, type GuardOptions, parseGuardOptions } from './guard-options.js';

export interface RequireBearerOptions extends GuardOptions {
  /**
   * Decides what happens to a request with a `refercence_cl` that is not the caller's own. `'own'` refuses it.
   * `'reported'` only reports it as an event, for a service whose merchants still send other values. `'unchecked'` does
   * not look at parameters, query or body, and is for routes with `requireOwnReference()` after their parser. Default
   * `'own'`, so that no route is forgotten.
   */
  readonly reference?: 'own' | 'reported' | 'unchecked';
  /**
   * The largest JSON body that the guard reads, in bytes. A larger body gets 400 `invalid_body`. Default 102,400, as in
   * `express.json()`.
   */
  readonly bodyLimit?: number;
  /** Writes the answer to a refused request. Default: the status, the headers and the JSON body of the error. */
  readonly respond?: Respond;
}

type OwnOptions = Omit<RequireBearerOptions, keyof GuardOptions>;

const OWN_OPTIONS = {
  reference(where, value: unknown = 'own') {
    if (value === 'own' || value === 'reported' || value === 'unchecked') return value;
    throw new TypeError(`${where} must be 'own', 'reported' or 'unchecked'.`);
  },
  bodyLimit: wholeNumber({ least: 1, fallback: 102_400 }),
  respond: callback<Respond>(respondJson),
} satisfies OptionParsers<OwnOptions>;

export type RequireBearerArguments = [first?: Guard | RequireBearerOptions, options?: OwnOptions];

const NO_GUARD =
  'requireBearer takes either what createGuard(...) returned and options, or only options. A guard can be undefined ' +
  'because of an import cycle.';

export function parseRequireBearer(args: RequireBearerArguments): { guard: Guard; settings: OwnershipSettings } {
  const [first, second] = args;
  checkCalled('requireBearer', first);
  if (first instanceof Guard) return { guard: first, settings: parseOwnOptions(first, second ?? {}) };
  // An undefined guard must not disable the account check.
  if (args.length > 1 || (args.length === 1 && first === undefined)) throw new TypeError(NO_GUARD);
  const [options = {}] = args as [RequireBearerOptions?];
  checkNoStore('requireBearer', options);
  checkOptions('requireBearer', options, { ...GUARD_OPTIONS, ...OWN_OPTIONS });
  const { reference, bodyLimit: limit, respond, ...guardOptions } = options;
  const guard = new Guard(parseGuardOptions('requireBearer', guardOptions));
  return { guard, settings: parseOwnOptions(guard, { reference, bodyLimit: limit, respond }) };
}

function parseOwnOptions({ realm }: Guard, options: object): OwnershipSettings {
  const { bodyLimit: bytes, ...settings } = parseOptions('requireBearer', options, OWN_OPTIONS);
  return { ...settings, realm, readBody: createBodyReader({ bytes }) };
}
