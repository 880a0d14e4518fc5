import type { RateLimiterRes } from 'rate-limiter-flexible';
import { createWarnOnce } from '../events/warn-once.js';
import { checkMethods } from '../options/check-options.js';
import { BoundedMemoryLimiter, type Counter, InsuredCounter, ReportingInsurance } from './limiters.js';
import {
  type FailureLimit,
  KNOWN_SOURCE_SECONDS,
  type LoginThrottleOptions,
  parseThrottleOptions,
  type ThrottleConfig,
} from './throttle-options.js';

/** The keys of one login: keyed digests of realm, identifier and source. An undetermined source gives `email` alone. */
export interface ThrottleKeys {
  readonly email: string;
  readonly source?: string;
  readonly emailAndSource?: string;
}

const OUTAGE =
  'The backend of the login throttle failed, so failed logins are counted in the memory of this process until it answers. ' +
  'If this comes at start, the limiter is set up wrongly: node-redis needs useRedisPackage: true.';

interface LimitedCounter {
  readonly counter: Counter;
  readonly limit: FailureLimit;
}

/** Counts failed logins, and decides who has to wait. `createLoginThrottle` makes it. */
export class LoginThrottle {
  readonly #pairs: LimitedCounter;
  readonly #sources: LimitedCounter;
  readonly #emails: LimitedCounter;
  readonly #knownSources: LimitedCounter;

  /** @internal True when the counters are outside the process, so that several processes share them. */
  readonly isShared: boolean;

  /** @internal */
  constructor({ emailAndSource, source, email, limiter }: ThrottleConfig) {
    const warnOnce = createWarnOnce();
    const onOutage = () => warnOnce('EMA_THROTTLE_BACKEND', OUTAGE);
    const known = { failures: 1, seconds: KNOWN_SOURCE_SECONDS };
    this.isShared = limiter !== undefined;
    this.#pairs = createCounter('emailAndSource', emailAndSource, limiter, onOutage);
    this.#sources = createCounter('source', source, limiter, onOutage);
    this.#emails = createCounter('email', email, limiter, onOutage);
    this.#knownSources = createCounter('knownSource', known, limiter, onOutage);
  }

  /** @internal Resolves to the seconds that this login has to wait; 0 when it may go on. */
  check(keys: ThrottleKeys): Promise<number> {
    return this.#decide(keys, (counter, key) => counter.get(key), 0);
  }

  /** @internal Counts wrong credentials. Resolves to the seconds to wait when that was one too many; else to 0. */
  fail(keys: ThrottleKeys): Promise<number> {
    return this.#decide(keys, (counter, key) => counter.penalty(key), 1);
  }

  /** @internal Clears the failures of this identifier from this source, and records the source. Nobody waits for it. */
  succeed({ emailAndSource }: ThrottleKeys): void {
    if (emailAndSource === undefined) return;
    this.#pairs.counter.delete(emailAndSource).catch(ignore);
    this.#knownSources.counter.set(knownKey(emailAndSource), 1, KNOWN_SOURCE_SECONDS).catch(ignore);
  }

  /** Reads or counts at every counter that the keys have. `over` is 1 where the count includes this failure. */
  async #decide(
    { email, source, emailAndSource }: ThrottleKeys,
    count: (counter: Counter, key: string) => Promise<RateLimiterRes | null>,
    over: number,
  ): Promise<number> {
    const ask = async ({ counter, limit }: LimitedCounter, key: string | undefined) =>
      key === undefined ? 0 : secondsToWait(await count(counter, key), limit.failures + over);
    const [forPair, forSource, forEmail, known] = await Promise.all([
      ask(this.#pairs, emailAndSource),
      ask(this.#sources, source),
      ask(this.#emails, email),
      emailAndSource === undefined ? null : this.#knownSources.counter.get(knownKey(emailAndSource)),
    ]);
    return Math.max(forPair, forSource, known == null ? forEmail : 0);
  }
}

/**
 * Makes the throttle, over rate-limiter-flexible. Only wrong credentials count.
 * @throws TypeError for an unknown option, or a limit that is not a whole number
 */
export function createLoginThrottle(options: LoginThrottleOptions = {}): LoginThrottle {
  return new LoginThrottle(parseThrottleOptions(options));
}

function createCounter(
  name: string,
  limit: FailureLimit,
  createLimiter: LoginThrottleOptions['limiter'],
  onOutage: () => void,
): LimitedCounter {
  const options = { keyPrefix: `express-merchant-auth:${name}`, points: limit.failures, duration: limit.seconds };
  const memory = new BoundedMemoryLimiter(options);
  if (createLimiter === undefined) return { counter: memory, limit };
  const backend = createLimiter({ ...options, insuranceLimiter: new ReportingInsurance(options, memory, onOutage) });
  checkMethods(
    'createLoginThrottle: the result of limiter',
    backend,
    ['get', 'penalty', 'set', 'delete'],
    'Return a limiter, not a promise of one: (options) => new RateLimiterRedis({ ...options, storeClient }).',
  );
  return { counter: new InsuredCounter(backend, memory, undefined, onOutage), limit };
}

/** Returns the seconds until a counter that reached `count` expires; 0 when it did not reach it. */
function secondsToWait(counted: RateLimiterRes | null, count: number): number {
  if (counted == null || counted.consumedPoints < count) return 0;
  return Math.max(1, Math.ceil(counted.msBeforeNext / 1000));
}

/** Returns another key than the pair's, also for a limiter that ignores the prefix. */
function knownKey(emailAndSource: string): string {
  return `${emailAndSource}:known`;
}

function ignore(): void {
  // A counter that cannot be cleared or set expires.
}
