import type { Respond } from '../http/middleware.js';
import { createBodyReader } from '../http/read-body.js';
import { respondJson } from '../http/refuse.js';
import { asGiven, callback, madeBy, type OptionParsers, parseOptions } from '../options/parse-options.js';
import type { GuardSettings } from '../ownership/merchant.js';
import { storeTimeout } from '../store/call-store.js';
import { checkUserStore, type UserStore } from '../store/user-store.js';
import { createTokens, Tokens } from '../tokens/tokens.js';
import type { AccountCheck } from './live-account.js';

export interface RequireBearerOptions {
  /**
   * Reads the account again on every request, so that a disabled, deleted or revoked one is refused at once. Without it the
   * guard trusts the token alone until it expires, for a service without the account database.
   */
  readonly userStore?: UserStore;
  /** Verifies the tokens. Default: `createTokens()`, with `JWT_SECRET` from the environment. */
  readonly tokens?: Tokens;
  /**
   * `'own'` (the default, so that no route is forgotten) checks every `refercence_cl` that a request carries. `'reported'`
   * checks and reports, and lets the request pass, for a service whose merchants still send other values. `'unchecked'` does
   * not look at parameters, query or body, for routes with `requireOwnReference()` after their parser.
   */
  readonly reference?: 'own' | 'reported' | 'unchecked';
  /** The longest JSON body that is read, in bytes or as text like `'1mb'`. Default 100 KiB, as `express.json()`. */
  readonly bodyLimit?: number | string;
  /** The longest time for `findById`, in milliseconds. Default 5,000. */
  readonly storeTimeoutMs?: number;
  /** Writes a refusal. Default: the JSON layout. */
  readonly respond?: Respond;
}

const BODY_LIMIT = /^(?<size>\d+(?:\.\d+)?)\s*(?<unit>b|kb|mb|gb)?$/i;
const UNITS = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };

/** Parses a limit in bytes, or as text like `'100kb'`. */
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

/** The options of `requireBearer`, without optional members. */
export interface Guard extends GuardSettings, AccountCheck {
  readonly tokens: Tokens;
  /** `null` for a guard that trusts the token alone. */
  readonly userStore: UserStore | null;
}

/** @throws TypeError for a missing secret, an unknown or wrong option, or when it is mounted without the call */
export function parseRequireBearerOptions(options: RequireBearerOptions): Guard {
  const { userStore = null, bodyLimit: limit, ...guard } = parseOptions('requireBearer', options, OPTIONS);
  // `{ userStore: undefined }`, for example from an import cycle, is an error. It must not disable the account check.
  if ('userStore' in options) checkUserStore('requireBearer', userStore);
  return { ...guard, userStore, readBody: createBodyReader({ bytes: limit }), realm: guard.tokens.realm };
}
