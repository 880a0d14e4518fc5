import { emitWarning } from 'node:process';
import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { checkFunction, checkInteger, checkMethods, checkOptions, type OptionNames } from '../options.js';
import {
  BoundedMemoryLimiter,
  type Counter,
  InsuredCounter,
  type LimiterOptions,
  ReportingInsurance,
} from './limiters.js';

/** The keys of one login: keyed digests of realm, email and source. Without a known source only `email` is there. */
export interface ThrottleKeys {
  readonly email: string;
  readonly source?: string;
  readonly emailAndSource?: string;
}

/** Counts failed logins and says who has to wait. */
export interface LoginThrottle {
  /** Whether the counters lie outside the process, so that several processes share them. */
  readonly isShared: boolean;
  /** @returns the seconds that this login has to wait; 0 when it may go on */
  check(keys: ThrottleKeys): Promise<number>;
  /** Counts a wrong email or password. @returns the seconds to wait when that was one too many; else 0 */
  fail(keys: ThrottleKeys): Promise<number>;
  /** Forgets the failures of this email from this source, and remembers the source. Nobody waits for it. */
  succeed(keys: ThrottleKeys): void;
}

/** How many failures in how many seconds. */
export interface FailureLimit {
  readonly failures: number;
  readonly seconds: number;
}

export interface LoginThrottleOptions {
  /** One email from one source. Default 10 in 900 s: more than a person mistypes, and cleared by a good login there. */
  readonly emailAndSource?: FailureLimit;
  /** One source, all emails. Default 100 in 900 s: many merchants can share an address, few of them fail. */
  readonly source?: FailureLimit;
  /**
   * One email, all sources. Default 100 in 3,600 s: what a distributed guesser gets. Sources that logged in to it within
   * 14 days are exempt, so that nobody can lock a merchant out of its own servers.
   */
  readonly email?: FailureLimit;
  /**
   * Moves the counters to a backend that processes share:
   * `(options) => new RateLimiterRedis({ ...options, storeClient })`. Called once a counter. While the backend does not
   * answer within 250 ms, the counting goes on in memory. Default: memory, at most 100,000 keys a counter.
   */
  readonly limiter?: (options: LimiterOptions) => RateLimiterAbstract;
}

const OPTIONS: OptionNames<LoginThrottleOptions> = { emailAndSource: true, source: true, email: true, limiter: true };

const LIMITER_HINT =
  'Return a limiter, not a promise of one: (options) => new RateLimiterRedis({ ...options, storeClient }).';

/** How long a source that logged in is exempt, in seconds: 14 days, the length of a holiday. */
const KNOWN_SOURCE_SECONDS = 14 * 24 * 60 * 60;

/**
 * Makes the throttle, over rate-limiter-flexible. Only wrong credentials count.
 * @throws TypeError for an unknown option, or a limit that is no whole number
 */
export function createLoginThrottle(options: LoginThrottleOptions = {}): LoginThrottle {
  checkOptions('createLoginThrottle', options, OPTIONS);
  const {
    emailAndSource = { failures: 10, seconds: 900 },
    source = { failures: 100, seconds: 900 },
    email = { failures: 100, seconds: 3_600 },
    limiter,
  } = options;
  if (limiter !== undefined) checkFunction('createLoginThrottle: limiter', limiter);

  const onOutage = warnOnceOfOutage();
  const pairs = createCounter('emailAndSource', emailAndSource, limiter, onOutage);
  const sources = createCounter('source', source, limiter, onOutage);
  const emails = createCounter('email', email, limiter, onOutage);
  const knownSources = createCounter('knownSource', { failures: 1, seconds: KNOWN_SOURCE_SECONDS }, limiter, onOutage);

  /** Asks or counts at every counter that the keys have; `over` tells which of two counts is too many. */
  const decide = async (
    { email, source, emailAndSource }: ThrottleKeys,
    count: (counter: Counter, key: string) => Promise<RateLimiterRes | null>,
    over: number,
  ): Promise<number> => {
    const ask = async ({ counter, limit }: LimitedCounter, key: string | undefined) =>
      key === undefined ? 0 : secondsToWait(await count(counter, key), limit.failures + over);
    const [forPair, forSource, forEmail, known] = await Promise.all([
      ask(pairs, emailAndSource),
      ask(sources, source),
      ask(emails, email),
      emailAndSource === undefined ? null : knownSources.counter.get(knownKey(emailAndSource)),
    ]);
    return Math.max(forPair, forSource, known == null ? forEmail : 0);
  };

  return {
    isShared: limiter !== undefined,
    check: (keys) => decide(keys, (counter, key) => counter.get(key), 0),
    fail: (keys) => decide(keys, (counter, key) => counter.penalty(key), 1),
    succeed({ emailAndSource }) {
      if (emailAndSource === undefined) return;
      pairs.counter.delete(emailAndSource).catch(ignore);
      knownSources.counter.set(knownKey(emailAndSource), 1, KNOWN_SOURCE_SECONDS).catch(ignore);
    },
  };
}

/** @throws TypeError unless `value` is what `createLoginThrottle` makes. */
export function checkThrottle(factory: string, value: unknown): asserts value is LoginThrottle {
  const hint = 'Give what createLoginThrottle(...) returned, or false.';
  checkMethods(`${factory}: throttle`, value, ['check', 'fail', 'succeed'], hint);
}

interface LimitedCounter {
  readonly counter: Counter;
  readonly limit: FailureLimit;
}

function createCounter(
  name: string,
  limit: FailureLimit,
  createLimiter: LoginThrottleOptions['limiter'],
  onOutage: () => void,
): LimitedCounter {
  checkInteger(`createLoginThrottle: ${name}.failures`, limit?.failures, 1);
  checkInteger(`createLoginThrottle: ${name}.seconds`, limit?.seconds, 1, KNOWN_SOURCE_SECONDS);
  const options = { keyPrefix: `express-merchant-auth:${name}`, points: limit.failures, duration: limit.seconds };
  const memory = new BoundedMemoryLimiter(options);
  if (createLimiter === undefined) return { counter: memory, limit };
  const backend = createLimiter({ ...options, insuranceLimiter: new ReportingInsurance(options, memory, onOutage) });
  checkMethods(
    'createLoginThrottle: what limiter returned',
    backend,
    ['get', 'penalty', 'set', 'delete'],
    LIMITER_HINT,
  );
  return { counter: new InsuredCounter(backend, memory, undefined, onOutage), limit };
}

/** The seconds until a counter that reached `count` is forgotten; 0 when it did not. */
function secondsToWait(counted: RateLimiterRes | null, count: number): number {
  if (counted == null || counted.consumedPoints < count) return 0;
  return Math.max(1, Math.ceil(counted.msBeforeNext / 1000));
}

/** Once, since every login of an outage would repeat it. */
function warnOnceOfOutage(): () => void {
  let hasWarned = false;
  return () => {
    if (hasWarned) return;
    hasWarned = true;
    emitWarning(
      'The backend of the login throttle failed, so failed logins are counted in the memory of this process until it ' +
        'answers. If this comes at start, the limiter is set up wrongly: node-redis needs useRedisPackage: true.',
      { type: 'ExpressMerchantAuthWarning', code: 'EMA_THROTTLE_BACKEND' },
    );
  };
}

/** A key of its own, also for a limiter that leaves the prefix out. */
function knownKey(emailAndSource: string): string {
  return `${emailAndSource}:known`;
}

function ignore(): void {
  // A counter that cannot be cleared or marked expires by itself.
}
