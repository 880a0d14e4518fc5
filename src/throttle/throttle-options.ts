import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { checkInteger, checkOptions } from '../base/check-options.js';
import { callback, type OptionParser, type OptionParsers, parseOptions } from '../base/parse-options.js';

/**
 * A number of failures within a number of seconds, at most 1,209,600 (14 days). The failure that reaches the limit
 * locks for as many seconds.
 */
export interface FailureLimit {
  readonly failures: number;
  readonly seconds: number;
}

/** The argument of the host's `limiter`. Spread it into the options of a limiter of rate-limiter-flexible. */
export interface LimiterOptions {
  /** Keeps the keys of the counters apart in one backend. */
  readonly keyPrefix: string;
  /** The number of failures until the answer is 429. */
  readonly points: number;
  /** The time for which a failure counts, in seconds. */
  readonly duration: number;
}

/** The options of `createLoginThrottle`: the limits of failed logins, and the place of their counters. */
export interface LoginThrottleOptions {
  /** Limits the failures for one email from one source. Default 10 in 900 s, more than a person mistypes. */
  readonly emailAndSource?: FailureLimit;
  /**
   * Limits the failures from one source for all emails. Default 100 in 900 s, because many merchants can share an
   * address. It does not stop the right password for an email that logged in from there within 14 days.
   */
  readonly source?: FailureLimit;
  /**
   * Limits the failures for one email from all sources: attackers guess from many addresses. Default 100 in 3,600 s. It
   * does not stop the right password from a source that logged in to this email within 14 days.
   */
  readonly email?: FailureLimit;
  /**
   * Makes each counter in a backend that processes share: `(options) => new RateLimiterRedis({ ...options, storeClient
   * })`. Only `get`, `penalty`, `block` and `delete` are called. Give it no `insuranceLimiter`: while the backend fails,
   * or takes longer than 250 ms, the throttle counts in memory. Default: memory, at most 100,000 keys for each counter.
   */
  readonly limiter?: (options: LimiterOptions) => RateLimiterAbstract;
}

/** A login makes its source known for 14 days, the length of a holiday. */
export const KNOWN_SOURCE_SECONDS = 14 * 24 * 60 * 60;

export const DEFAULT_LIMITS = {
  emailAndSource: { failures: 10, seconds: 900 },
  source: { failures: 100, seconds: 900 },
  email: { failures: 100, seconds: 3_600 },
} satisfies LoginThrottleOptions;

const OPTIONS = {
  emailAndSource: limit(DEFAULT_LIMITS.emailAndSource),
  source: limit(DEFAULT_LIMITS.source),
  email: limit(DEFAULT_LIMITS.email),
  limiter: callback<LoginThrottleOptions['limiter']>(undefined),
} satisfies OptionParsers<LoginThrottleOptions>;

function limit(fallback: FailureLimit): OptionParser<FailureLimit> {
  return (where, value = fallback) => {
    const members: Partial<FailureLimit> = typeof value === 'object' && value !== null ? value : {};
    checkOptions(where, members, fallback);
    const { failures, seconds } = members as FailureLimit;
    checkInteger(`${where}.failures`, failures, 1);
    checkInteger(`${where}.seconds`, seconds, 1, KNOWN_SOURCE_SECONDS);
    return { failures, seconds };
  };
}

export function parseThrottleOptions(options: LoginThrottleOptions) {
  return parseOptions('createLoginThrottle', options, OPTIONS);
}

export type ThrottleConfig = ReturnType<typeof parseThrottleOptions>;
