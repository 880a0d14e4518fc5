import { asGiven, madeBy, type OptionParsers, type Parsed } from '../base/parse-options.js';
import { checkDefined } from '../base/check-options.js';
import { storeTimeout } from '../store/call-store.js';
import { checkUserStore, type UserStore } from '../store/user-store.js';
import { createTokens, Tokens } from '../tokens/tokens.js';
import { accountReader, type ReadAccount } from './account-reader.js';

/** The options of `createGuard`. */
export interface GuardOptions {
  /**
   * Finds the account of the token on every request, and so refuses a disabled, deleted or revoked account at once.
   * Default: none, and the guard trusts a token until it expires. Leave it out only in a service that cannot read the
   * accounts.
   */
  readonly userStore?: UserStore;
  /** Verifies the tokens. Default: `createTokens()`, with the secret in the environment variable `JWT_SECRET`. */
  readonly tokens?: Tokens;
  /**
   * Limits the wait for `findById` and `findByIds`, in milliseconds. A request gets a 503 when they take longer. Default
   * 5,000: long enough for a slow query, short enough that requests do not pile up.
   */
  readonly storeTimeoutMs?: number;
}

/** @internal */
export const GUARD_OPTIONS = {
  userStore: asGiven<UserStore | undefined>,
  tokens: madeBy(createTokens, Tokens),
  storeTimeoutMs: storeTimeout,
} satisfies OptionParsers<GuardOptions>;

export interface GuardConfig {
  readonly realm: string;
  readonly tokens: Tokens;
  /** `null` for a guard that trusts the token alone. */
  readonly readAccount: ReadAccount | null;
}

/**
 * @internal
 * @param options as the host gave them, because an explicit `undefined` is a mistake
 */
export function guardConfig(
  factoryName: 'createGuard' | 'requireBearer',
  options: GuardOptions,
  { userStore, tokens, storeTimeoutMs }: Parsed<typeof GUARD_OPTIONS>,
): GuardConfig {
  checkDefined(factoryName, options, 'tokens');
  // `{ userStore: undefined }`, for example from an import cycle, must not disable the account check.
  if ('userStore' in options) checkUserStore(factoryName, userStore);
  return { realm: tokens.realm, tokens, readAccount: userStore ? accountReader(userStore, storeTimeoutMs) : null };
}

/** @throws TypeError for a store in the place of the options */
export function checkNoStore(factoryName: string, options: unknown): void {
  if (typeof (options as Partial<UserStore> | null)?.findById === 'function') {
    throw new TypeError(`${factoryName} takes the store as an option: ${factoryName}({ userStore }).`);
  }
}
