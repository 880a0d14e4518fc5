import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import type { LimiterOptions } from './throttle-options.js';

/** The number of keys that a counter holds in memory, so that attackers cannot make it grow further. */
export const MAX_KEYS = 100_000;

/** The memory limiter of rate-limiter-flexible, with a limit. It drops the oldest keys beyond `maxKeys`. */
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
 * Rejects every call that the host's limiter makes during an outage. The library would otherwise hide the outage. A
 * check would then use the backend's old count, and each process would count alone.
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
