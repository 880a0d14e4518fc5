import { createWarn, type Warn } from '../events/warning.js';
import { asGiven, madeBy, type OptionParsers, parseOptions, wholeNumber } from '../options/parse-options.js';
import { createPasswords, Passwords } from '../passwords/passwords.js';
import { storeTimeout } from '../store/call-store.js';
import { checkUserStore, type UserStore } from '../store/user-store.js';
import { createLoginThrottle, LoginThrottle } from '../throttle/login-throttle.js';
import { createTokens, Tokens } from '../tokens/tokens.js';
import { createKeyedDigest, type KeyedDigest } from './keyed-digest.js';
import { LoginsInProgress } from './logins-in-progress.js';
import { Places } from './places.js';
import { SharedChecks } from './shared-checks.js';

export interface LoginOptions {
  /** Issues the tokens. Default: `createTokens()`, with `JWT_SECRET` from the environment. */
  readonly tokens?: Tokens;
  /** Verifies the passwords. Default: `createPasswords()`. */
  readonly passwords?: Passwords;
  /**
   * Counts failed logins. Default: `createLoginThrottle()`, in the memory of the process. `false` when a service in front
   * counts them: without either, passwords can be guessed as fast as they are hashed.
   */
  readonly throttle?: LoginThrottle | false;
  /**
   * Text or bytes, 32 bytes or more: the key of the throttle's keys, of the choice of decoys and of the audit's digests.
   * All processes have the same one. Default: derived from `JWT_SECRET`, or else random.
   */
  readonly digestKey?: string | Uint8Array;
  /** The longest time for `findCredentials` and `replacePasswordHash`, in milliseconds. Default 5,000. */
  readonly storeTimeoutMs?: number;
  /**
   * The number of logins in progress before more get 503. One source gets half of it. Default 2,000: in memory
   * the throttle answers before the next login is read, so more are in progress only while its backend is slow.
   */
  readonly maxLoginsInProgress?: number;
  /**
   * The number of logins that wait for a hash slot before more get 503. Identical logins count once. Beyond half of it one
   * source gets a quarter, and the last quarter is for sources that logged in before. Default 200.
   */
  readonly maxPendingLogins?: number;
}

/** @internal The parsers, also for the router, which adds its own option. */
export const LOGIN_OPTIONS = {
  tokens: madeBy(createTokens, Tokens),
  passwords: madeBy(createPasswords, Passwords),
  throttle: (where, value) =>
    value === false ? undefined : madeBy(createLoginThrottle, LoginThrottle, ', or false')(where, value),
  digestKey: asGiven<LoginOptions['digestKey']>,
  storeTimeoutMs: storeTimeout,
  maxLoginsInProgress: wholeNumber({ least: 2, otherwise: 2_000 }),
  maxPendingLogins: wholeNumber({ least: 1, otherwise: 200 }),
} satisfies OptionParsers<LoginOptions>;

/** The options of `createLogin`, without optional members. */
export interface LoginConfig {
  readonly userStore: UserStore;
  readonly tokens: Tokens;
  readonly passwords: Passwords;
  /** `undefined` when the host counts failed logins. */
  readonly throttle: LoginThrottle | undefined;
  readonly digest: KeyedDigest;
  readonly storeTimeoutMs: number;
  readonly inProgress: LoginsInProgress;
  readonly checks: SharedChecks;
  readonly realm: string;
  readonly warn: Warn;
}

/** @throws TypeError for a store without its two methods, a missing secret, tokens that cannot sign, or an unknown option */
export function parseLoginOptions(
  factory: 'createLogin' | 'createLoginRouter',
  userStore: UserStore,
  options: LoginOptions,
): LoginConfig {
  checkUserStore(factory, userStore);
  const { digestKey, maxLoginsInProgress, maxPendingLogins, ...config } = parseOptions(factory, options, LOGIN_OPTIONS);
  const { tokens, passwords, throttle } = config;
  if (tokens.signingKey === undefined) {
    throw new TypeError(`${factory}: these tokens cannot sign. Give the first key its privateKey.`);
  }
  return {
    ...config,
    userStore,
    realm: tokens.realm,
    digest: createKeyedDigest(factory, digestKey, throttle?.isShared === true),
    inProgress: new LoginsInProgress(maxLoginsInProgress),
    checks: new SharedChecks(passwords, new Places(maxPendingLogins, (isKnown) => passwords.estimateWaitMs(isKnown))),
    warn: createWarn(),
  };
}
