import { createBodyReader } from '../body/read-body.js';
import type { Respond } from '../http/middleware.js';
import { respondJson } from '../http/answer.js';
import { asGiven, callback, madeBy, type OptionParsers, parseOptions } from '../options/parse-options.js';
import type { GuardSettings } from '../ownership/merchant.js';
import { storeTimeout } from '../store/call-store.js';
import { checkUserStore, type UserStore } from '../store/user-store.js';
import { createTokens, Tokens } from '../tokens/tokens.js';
import type { AccountCheck } from './live-account.js';

export interface RequireBearerOptions {
  /**
   * Finds the account of the token on every request. So a disabled, deleted or revoked account is refused at once.
   * Default: none. The guard then trusts a token until it expires. Leave the store out only in a service that cannot
   * read the accounts.
   */
  readonly userStore?: UserStore;
  /** Verifies the tokens. Default: `createTokens()`, with the secret in the environment variable `JWT_SECRET`. */
  readonly tokens?: Tokens;
  /**
   * Decides what happens to a request with a `refercence_cl` that is not the caller's own. `'own'` refuses it.
   * `'reported'` only reports it as an event. It is for a service whose merchants still send other values.
   * `'unchecked'` does not look at parameters, query or body. It is for routes with `requireOwnReference()` after their
   * parser. Default `'own'`, so that no route is forgotten.
   */
  readonly reference?: 'own' | 'reported' | 'unchecked';
  /**
   * The largest JSON body that the guard reads, in bytes or as text like `'1mb'`. A larger body gets 400
   * `invalid_body`. Default 100 KiB, as in `express.json()`.
   */
  readonly bodyLimit?: number | string;
  /**
   * Limits the wait for `findById`, in milliseconds. A later answer counts as 503 `store_unavailable`. Default 5,000:
   * long enough for a slow query, short enough that requests do not pile up.
   */
  readonly storeTimeoutMs?: number;
  /** Writes the answer to a refused request. Default: the status, the headers and the JSON body of the error. */
  readonly respond?: Respond;
}

const BODY_LIMIT = /^(?<size>\d+(?:\.\d+)?)\s*(?<unit>b|kb|mb|gb)?$/i;
const UNITS = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };

function bodyLimit(where: string, value: unknown = '100kb'): number {
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value;
  const { size, unit = 'b' } = (typeof value === 'string' ? BODY_LIMIT.exec(value)?.groups : undefined) ?? {};
  if (size !== undefined) return Math.floor(Number(size) * UNITS[unit.toLowerCase() as keyof typeof UNITS]);
  throw new TypeError(`${where} must be a whole number of bytes, or text like '100kb'.`);
}

const OPTIONS = {
  userStore: asGiven<UserStore | undefined>,
  tokens: madeBy(createTokens, Tokens),
  reference(where, value: unknown = 'own') {
    if (value === 'own' || value === 'reported' || value === 'unchecked') return value;
    throw new TypeError(`${where} must be 'own', 'reported' or 'unchecked'.`);
  },
  bodyLimit,
  storeTimeoutMs: storeTimeout,
  respond: callback<Respond>(respondJson),
} satisfies OptionParsers<RequireBearerOptions>;

/** The options of `requireBearer`, with their defaults. */
export interface Guard extends GuardSettings, AccountCheck {
  readonly tokens: Tokens;
  /** `null` for a guard that trusts the token alone. */
  readonly userStore: UserStore | null;
}

/**
 * Parses the options of `requireBearer`.
 * @throws TypeError for a missing secret, an unknown or wrong option, or when it is mounted without the call
 */
export function parseRequireBearerOptions(options: RequireBearerOptions): Guard {
  const { userStore = null, bodyLimit: limit, ...guard } = parseOptions('requireBearer', options, OPTIONS);
  // `{ userStore: undefined }`, for example from an import cycle, is an error. It must not disable the account check.
  if ('userStore' in options) checkUserStore('requireBearer', userStore);
  return { ...guard, userStore, readBody: createBodyReader({ bytes: limit }), realm: guard.tokens.realm };
}
