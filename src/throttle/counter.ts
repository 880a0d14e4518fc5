import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { checkMethods } from '../options/check-options.js';
import type { Backend, CallKind } from './backend.js';
import { type Count, MemoryLimiter } from './memory-limiter.js';
import { createRejectingInsurance } from './rejecting-insurance.js';
import type { FailureLimit, LoginThrottleOptions } from './throttle-options.js';

/** The failures of a key, and the seconds until it may be used again. They are 0 while the key is below the limit. */
export interface Tally {
  readonly failures: number;
  readonly seconds: number;
}

/** Counts for one limit of the throttle: in the backend, if there is one, and in memory during an outage. */
export class Counter {
  readonly #limit: FailureLimit;
  readonly #memory: MemoryLimiter;
  readonly #backend: Backend;
  readonly #limiter: RateLimiterAbstract | undefined;

  /** @param limiter counts in the backend. Without it, only the memory counts */
  constructor(limit: FailureLimit, memory: MemoryLimiter, backend: Backend, limiter?: RateLimiterAbstract) {
    this.#limit = limit;
    this.#memory = memory;
    this.#backend = backend;
    this.#limiter = limiter;
  }

  /** @param others the failures under another key that count for the limit too */
  async read(key: string, others = 0): Promise<Tally> {
    const shared = await this.#call('get', (limiter) => limiter.get(key));
    const own = shared === undefined ? this.#memory.get(copyOf(key)) : null;
    return this.#tally(higherOf(own, higherOf(shared, this.#memory.get(key))), this.#limit.failures - others);
  }

  /** Counts a failure. The result has seconds only if the failure is beyond the limit. */
  async fail(key: string): Promise<Tally> {
    const shared = await this.#call('penalty', (limiter) => limiter.penalty(key));
    const own = shared === undefined ? this.#memory.penalty(key) : this.#memory.get(key);
    const counted = shared ?? own;
    if (counted?.consumedPoints === this.#limit.failures) await this.#lock(key);
    return this.#tally(higherOf(shared, own), this.#limit.failures + 1);
  }

  /** Starts the lock where the failure was counted. The memory keeps a copy for an outage of the backend. */
  async #lock(key: string): Promise<void> {
    const { lockSeconds } = this.#limit;
    if (lockSeconds === undefined) return;
    const locked = await this.#call('set', (limiter) => limiter.block(key, lockSeconds));
    this.#memory.block(locked ? copyOf(key) : key, lockSeconds);
  }

  /** Sets a key, in backend and memory. The memory holds a limited number of keys of one owner. */
  async set(key: string, owner: string): Promise<void> {
    this.#memory.set(key, owner);
    await this.#call('set', (limiter) => limiter.set(key, 1, this.#limit.seconds));
  }

  /** Clears a key, in backend and memory. */
  async clear(key: string): Promise<void> {
    this.#forget(key);
    await this.#call('delete', (limiter) => limiter.delete(key));
  }

  /**
   * Clears a key for an operator, who has to know that the backend did it.
   * @throws the error of the backend
   */
  async forgive(key: string): Promise<void> {
    this.#forget(key);
    const limiter = this.#limiter;
    if (limiter) await this.#backend.insist('delete', () => limiter.delete(key));
  }

  #forget(key: string): void {
    for (const each of [key, copyOf(key)]) this.#memory.delete(each);
  }

  async #call<Result>(
    kind: CallKind,
    call: (limiter: RateLimiterAbstract) => Promise<Result>,
  ): Promise<Result | undefined> {
    const limiter = this.#limiter;
    return limiter && this.#backend.call(kind, () => call(limiter));
  }

  #tally(count: Count | null, threshold: number): Tally {
    const failures = count?.consumedPoints ?? 0;
    if (count === null || failures < threshold) return { failures, seconds: 0 };
    const { seconds, lockSeconds = seconds } = this.#limit;
    return { failures, seconds: Math.min(Math.max(seconds, lockSeconds), Math.ceil(count.msBeforeNext / 1000)) };
  }
}

/** @throws TypeError when `createLimiter` returns no limiter */
export function createCounter(
  name: string,
  limit: FailureLimit,
  createLimiter: LoginThrottleOptions['limiter'],
  backend: Backend,
): Counter {
  const options = { keyPrefix: `express-merchant-auth:${name}`, points: limit.failures, duration: limit.seconds };
  const limiter = createLimiter?.({ ...options, insuranceLimiter: createRejectingInsurance(options) });
  if (createLimiter !== undefined) {
    checkMethods(
      'createLoginThrottle: the result of limiter',
      limiter,
      ['get', 'penalty', 'set', 'delete', ...(limit.lockSeconds === undefined ? [] : ['block' as const])],
      'Return a limiter, not a promise of one: (options) => new RateLimiterRedis({ ...options, storeClient }).',
    );
  }
  return new Counter(limit, new MemoryLimiter(limit.seconds), backend, limiter);
}

/** Returns the key in memory for the copy of a lock, which counts only while the backend cannot be read. */
function copyOf(key: string): string {
  return `${key}:locked`;
}

/**
 * Returns the higher count of backend and memory. A count of the backend without time left is absent, because the clock
 * of the backend can have jumped.
 */
function higherOf(shared: Count | null | undefined, own: Count | null): Count | null {
  if (shared == null || shared.msBeforeNext <= 0) return own;
  return own !== null && own.consumedPoints > shared.consumedPoints ? own : shared;
}
