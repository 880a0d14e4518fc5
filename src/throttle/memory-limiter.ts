import type { RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { LimiterOptions } from './throttle-options.js';

type CounterOptions = Omit<LimiterOptions, 'insuranceLimiter'>;

/** The number of keys that a counter holds in memory, so that attackers cannot make it grow further. */
export const MAX_KEYS = 100_000;

/** The memory limiter of rate-limiter-flexible, with a limit. It drops the oldest keys beyond `maxKeys`. */
export class BoundedMemoryLimiter {
  readonly #limiter: RateLimiterMemory;
  readonly #keys = new Set<string>();
  readonly #maxKeys: number;

  constructor(options: CounterOptions, maxKeys = MAX_KEYS) {
    this.#limiter = createMemoryLimiter(options);
    this.#maxKeys = maxKeys;
  }

  get(key: string): Promise<RateLimiterRes | null> {
    return this.#limiter.get(key);
  }

  penalty(key: string, points = 1): Promise<RateLimiterRes> {
    this.#remember(key);
    return this.#limiter.penalty(key, points);
  }

  set(key: string, points: number, secDuration: number): Promise<RateLimiterRes> {
    this.#remember(key);
    return this.#limiter.set(key, points, secDuration);
  }

  delete(key: string): Promise<boolean> {
    this.#keys.delete(key);
    return this.#limiter.delete(key);
  }

  /**
   * Records the key, and drops the oldest hundredth beyond the limit. It drops many at once, because V8 is slow to find
   * the first key of a set after deletions.
   */
  #remember(key: string): void {
    this.#keys.delete(key);
    this.#keys.add(key);
    if (this.#keys.size <= this.#maxKeys) return;
    const kept = this.#maxKeys - Math.floor(this.#maxKeys / 100);
    for (const oldest of this.#keys) {
      void this.delete(oldest);
      if (this.#keys.size <= kept) return;
    }
  }
}

/**
 * Makes the insurance limiter for the host's limiter. It rejects every call, because the library would otherwise hide an
 * outage. A check would then use the backend's old count, and each process would count alone.
 */
export function createRejectingInsurance(options: CounterOptions): RateLimiterAbstract {
  const limiter = createMemoryLimiter(options);
  return Object.assign(limiter, { get: rejectCall, penalty: rejectCall, set: rejectCall, delete: rejectCall });
}

function rejectCall(): Promise<never> {
  return Promise.reject(new Error('The backend of the login throttle failed.'));
}

function createMemoryLimiter(options: CounterOptions): RateLimiterMemory {
  const library = require('rate-limiter-flexible') as typeof import('rate-limiter-flexible');
  return new library.RateLimiterMemory(options);
}
