import { createWarn, type Warn } from '../events/warning.js';
import { asGiven, madeBy, type OptionParsers, type Parsed, wholeNumber } from '../base/parse-options.js';
import { createPasswords, Passwords } from '../passwords/passwords.js';
import { storeTimeout } from '../store/call-store.js';
import { checkUserStore, type UserStore } from '../store/user-store.js';
import { createLoginThrottle, LoginThrottle } from '../throttle/login-throttle.js';
import { NO_THROTTLE, type Throttle } from '../throttle/no-throttle.js';
import { createTokens, Tokens } from '../tokens/tokens.js';
import { Admission } from '../queue/admission.js';
import { createKeyedDigest, type KeyedDigest } from './keyed-digest.js';
import { LoginQueue } from '../queue/login-queue.js';

/** The options of `createLogin`. */
export interface LoginOptions {
  /**
   * Issues the tokens. The first key must be able to sign. Default: `createTokens()`, with the secret in the environment
   * variable `JWT_SECRET`.
   */
  readonly tokens?: Tokens;
  /** Verifies the passwords, and upgrades hashes. Default: `createPasswords()`, with argon2id. */
  readonly passwords?: Passwords;
  /**
   * Counts failed logins, and refuses further ones. Default: `createLoginThrottle()`, which counts in the memory of the
   * process. `false` counts nothing, and is only for a host with a limit in front of it, because passwords could
   * otherwise be guessed without a limit.
   */
  readonly throttle?: LoginThrottle | false;
  /**
   * The secret key for digests of emails and user names, in the throttle's keys, in audit events and in the choice of
   * decoy hashes: text or bytes, 32 bytes or more. All processes of a service need the same key. Default: derived from
   * `JWT_SECRET`, or else random, which a throttle with a `limiter` does not accept.
   */
  readonly digestKey?: string | Uint8Array;
  /**
   * Limits the wait for `findCredentials` and `replacePasswordHash`, in milliseconds. A login gets a 503 when
   * `findCredentials` takes longer. Default 5,000: long enough for a slow query, short enough that logins do not pile
   * up.
   */
  readonly storeTimeoutMs?: number;
  /**
   * Limits the logins that wait for a hash computation. Identical logins of a source count once. Beyond the limit, a login
   * of the longest line gets 503 `too_busy`. Default 200.
   */
  readonly maxPendingLogins?: number;
}

/** @internal */
export const LOGIN_OPTIONS = {
  tokens: madeBy(createTokens, Tokens),
  passwords: madeBy(createPasswords, Passwords),
  throttle: (where, value): Throttle =>
    value === false ? NO_THROTTLE : madeBy(createLoginThrottle, LoginThrottle, ', or false')(where, value),
  digestKey: asGiven<LoginOptions['digestKey']>,
  storeTimeoutMs: storeTimeout,
  maxPendingLogins: wholeNumber({ least: 1, fallback: 200 }),
} satisfies OptionParsers<LoginOptions>;

export interface LoginConfig extends Required<Pick<LoginOptions, 'tokens' | 'passwords' | 'storeTimeoutMs'>> {
  readonly userStore: UserStore;
  /** @internal */
  readonly throttle: Throttle;
  readonly digest: KeyedDigest;
  readonly admission: Admission;
  readonly queue: LoginQueue;
  readonly realm: string;
  readonly warn: Warn;
}

/** @internal */
export function loginConfig(
  factoryName: 'createLogin' | 'createLoginRouter',
  userStore: UserStore,
  { digestKey, maxPendingLogins, ...config }: Parsed<typeof LOGIN_OPTIONS>,
): LoginConfig {
  checkUserStore(factoryName, userStore);
  const { tokens, throttle } = config;
  tokens.requireSigningKey(factoryName);
  return {
    ...config,
    userStore,
    realm: tokens.realm,
    digest: createKeyedDigest(factoryName, digestKey, throttle.isShared),
    admission: new Admission(),
    queue: new LoginQueue(maxPendingLogins),
    warn: createWarn(),
  };
}
