import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { checkMethods } from '../base/check-options.js';
import type { Backend } from './backend.js';
import { type Count, MemoryLimiter } from './memory-limiter.js';
import type { FailureLimit, LoginThrottleOptions } from './throttle-options.js';

export interface Tally {
  readonly failures: number;
  /** The time until the key may be used again; 0 below the limit. */
  readonly seconds: number;
}

/** `block` and not `set`: RateLimiterCluster has no working `set`. */
export const LIMITER_METHODS = ['get', 'penalty', 'block', 'delete'] as const;

type HostLimiter = Pick<RateLimiterAbstract, (typeof LIMITER_METHODS)[number]>;

const HINT = 'Return a limiter, not a promise of one: (options) => new RateLimiterRedis({ ...options, storeClient }).';

/** Counts in the backend, or in memory without one and during its outage. */
export class Counter {
  readonly #limit: FailureLimit;
  readonly #memory: MemoryLimiter;
  readonly #backend: Backend;
  readonly #limiter: HostLimiter | undefined;

  constructor(limit: FailureLimit, backend: Backend, limiter?: HostLimiter) {
    this.#limit = limit;
    this.#memory = new MemoryLimiter(limit.seconds);
    this.#backend = backend;
    this.#limiter = limiter;
  }

  /** A lock with more time than the limit begins anew: the clock of the backend has gone back. */
  async read(key: string): Promise<Tally> {
    const { failures, seconds } = this.#limit;
    const shared = await this.#call((limiter) => limiter.get(key));
    if (shared && shared.consumedPoints >= failures && shared.msBeforeNext > seconds * 1_000)
      void this.#lock(key, true);
    return this.#tally(failures, shared, this.#memory.get(key));
  }

  /**
   * Counts a failure. Nothing waits for the lock: the other limits must count before a right password of the same burst
   * reads them. The result has seconds only beyond the limit.
   */
  async fail(key: string): Promise<Tally> {
    const shared = await this.#call((limiter) => limiter.penalty(key));
    if (shared) this.#backend.hasCounted();
    const own = shared ? this.#memory.get(key) : this.#memory.penalty(key);
    if ((shared ?? own)?.consumedPoints === this.#limit.failures) void this.#lock(key, shared !== undefined);
    return this.#tally(this.#limit.failures + 1, shared, own);
  }

  async mark(key: string, owner: string): Promise<void> {
    this.#memory.block(key, owner);
    await this.#record((limiter) => limiter.block(key, this.#limit.seconds));
  }

  async clear(key: string): Promise<void> {
    this.#memory.delete(key);
    await this.#record((limiter) => limiter.delete(key));
  }

  /** Clears a key for an operator. @throws the error of the backend */
  async forgive(key: string): Promise<void> {
    this.#memory.delete(key);
    const limiter = this.#limiter;
    if (limiter) await this.#backend.insist(() => limiter.delete(key));
  }

  async #call<Result>(call: (limiter: HostLimiter) => Promise<Result>): Promise<Result | undefined> {
    const limiter = this.#limiter;
    return limiter && this.#backend.call(() => call(limiter));
  }

  async #lock(key: string, isShared: boolean): Promise<void> {
    const block = (limiter: HostLimiter) => limiter.block(key, this.#limit.seconds).then(() => true);
    const isLocked = isShared && (await this.#call(block)) === true;
    if (!isLocked) this.#memory.block(key);
  }

  async #record(call: (limiter: HostLimiter) => Promise<unknown>): Promise<void> {
    const limiter = this.#limiter;
    if (limiter) await this.#backend.record(() => call(limiter));
  }

  #tally(threshold: number, ...counts: readonly (Count | null | undefined)[]): Tally {
    // The clock of the backend can jump, so a count can have no time left, or more than the limit.
    const current = counts.filter((count) => count != null && count.msBeforeNext > 0) as readonly Count[];
    const beyond = current.filter(({ consumedPoints }) => consumedPoints >= threshold);
    const seconds = Math.ceil(Math.max(0, ...beyond.map(({ msBeforeNext }) => msBeforeNext)) / 1000);
    return {
      failures: Math.max(0, ...current.map(({ consumedPoints }) => consumedPoints)),
      seconds: Math.min(this.#limit.seconds, seconds),
    };
  }
}

export function createCounter(
  name: string,
  limit: FailureLimit,
  createLimiter: LoginThrottleOptions['limiter'],
  backend: Backend,
): Counter {
  const keyPrefix = `express-merchant-auth:${name}`;
  const limiter = createLimiter?.({ keyPrefix, points: limit.failures, duration: limit.seconds });
  if (createLimiter) checkMethods('createLoginThrottle: the result of limiter', limiter, LIMITER_METHODS, HINT);
  return new Counter(limit, backend, limiter);
}
