import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import type { LimiterOptions } from './throttle-options.js';

/** The number of keys that a counter holds in memory. Attackers can fill it, but cannot make it grow. */
export const MAX_KEYS = 100_000;

/** rate-limiter-flexible's memory limiter, which drops the oldest key beyond `maxKeys`. */
export class BoundedMemoryLimiter extends RateLimiterMemory {
  readonly #keys = new Set<string>();
  readonly #maxKeys: number;

  constructor(options: Omit<LimiterOptions, 'insuranceLimiter'>, maxKeys = MAX_KEYS) {
    super(options);
    this.#maxKeys = maxKeys;
  }

  override penalty(key: string | number, points = 1): Promise<RateLimiterRes> {
    this.#remember(String(key));
    return super.penalty(key, points);
  }

  override set(key: string | number, points: number, secDuration: number): Promise<RateLimiterRes> {
    this.#remember(String(key));
    return super.set(key, points, secDuration);
  }

  override delete(key: string | number): Promise<boolean> {
    this.#keys.delete(String(key));
    return super.delete(key);
  }

  /** Drops a hundredth at once, because V8 finds the first of a set by passing all that were deleted before it. */
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
 * The insurance of the host's limiter. It rejects, because the library would otherwise hide a failed write: the check would
 * go on with the backend's old count, and every process would count alone.
 */
export class RejectingInsurance extends RateLimiterMemory {
  override get = rejectCall;
  override penalty = rejectCall;
  override set = rejectCall;
  override delete = rejectCall;
}

function rejectCall(): Promise<never> {
  return Promise.reject(new Error('The backend of the login throttle failed.'));
}
