import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { checkInteger } from '../options/check-options.js';
import { callback, type OptionParser, type OptionParsers, parseOptions } from '../options/parse-options.js';

/** A number of failures within a number of seconds. */
export interface FailureLimit {
  readonly failures: number;
  readonly seconds: number;
}

/** The argument of the host's `limiter`, ready to be spread into the options of a limiter of rate-limiter-flexible. */
export interface LimiterOptions {
  readonly keyPrefix: string;
  /** Failures until the answer is 429. */
  readonly points: number;
  /** Seconds that a failure counts. */
  readonly duration: number;
  /** Rejects while the backend fails, so that this package sees the failure and counts in memory. */
  readonly insuranceLimiter: RateLimiterAbstract;
}

export interface LoginThrottleOptions {
  /** One email from one source. Default 10 in 900 s: more than a person mistypes. A good login there clears it. */
  readonly emailAndSource?: FailureLimit;
  /** One source, all emails. Default 100 in 900 s: many merchants can share an address, and few of them fail. */
  readonly source?: FailureLimit;
  /**
   * One email, all sources. Default 100 in 3,600 s: limits guessing from many addresses. Addresses that logged in to this
   * account in the last 14 days are exempt, so that nobody can lock a merchant out of its own servers.
   */
  readonly email?: FailureLimit;
  /**
   * Moves the counters to a backend that processes share:
   * `(options) => new RateLimiterRedis({ ...options, storeClient })`. Called once for each counter. While the backend does
   * not answer within 250 ms, the counting goes on in memory. Default: memory, at most 100,000 keys for each counter.
   */
  readonly limiter?: (options: LimiterOptions) => RateLimiterAbstract;
}

/** How long a source that logged in is exempt, in seconds: 14 days, the length of a holiday. */
export const KNOWN_SOURCE_SECONDS = 14 * 24 * 60 * 60;

const OPTIONS = {
  emailAndSource: limit({ failures: 10, seconds: 900 }),
  source: limit({ failures: 100, seconds: 900 }),
  email: limit({ failures: 100, seconds: 3_600 }),
  limiter: callback<LoginThrottleOptions['limiter']>(undefined),
} satisfies OptionParsers<LoginThrottleOptions>;

function limit(otherwise: FailureLimit): OptionParser<FailureLimit> {
  return (where, value: unknown = otherwise) => {
    const { failures, seconds } = (value ?? {}) as FailureLimit;
    checkInteger(`${where}.failures`, failures, 1);
    checkInteger(`${where}.seconds`, seconds, 1, KNOWN_SOURCE_SECONDS);
    return { failures, seconds };
  };
}

/** @throws TypeError for an unknown option, or a limit that is not a whole number */
export function parseThrottleOptions(options: LoginThrottleOptions) {
  return parseOptions('createLoginThrottle', options, OPTIONS);
}

/** The options of `createLoginThrottle`, without optional members except `limiter`. */
export type ThrottleConfig = ReturnType<typeof parseThrottleOptions>;
