import type { RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { LimiterOptions } from './throttle-options.js';

type CounterOptions = Omit<LimiterOptions, 'insuranceLimiter'>;

/** The number of keys that a counter holds in memory, so that attackers cannot make it grow further. */
export const MAX_KEYS = 100_000;

/** The duration with which the library keeps a key until it is deleted. */
const NEVER_EXPIRES = 0;

/** The number of keys of one owner, so that no account's logins drop the keys of others. */
const MAX_OWNED = 1_000;

/** The count of a key, and the time until it ends. */
export type Count = Pick<RateLimiterRes, 'consumedPoints' | 'msBeforeNext'>;

interface Entry {
  /** The value of `performance.now()` when the count ends. */
  readonly endsAt: number;
  readonly owner?: string | undefined;
}

/**
 * Limits the memory limiter of rate-limiter-flexible, by dropping the oldest keys beyond `maxKeys`. Time is measured
 * here, because the library uses the clock of the system, which can jump.
 */
export class BoundedMemoryLimiter {
  readonly #limiter: RateLimiterMemory;
  readonly #msDuration: number;
  readonly #maxKeys: number;
  /** The keys in the order in which they were written. */
  readonly #entries = new Map<string, Entry>();
  readonly #owned = new Map<string, number>();

  constructor(options: CounterOptions, maxKeys = MAX_KEYS) {
    this.#limiter = createMemoryLimiter({ ...options, duration: NEVER_EXPIRES });
    this.#msDuration = options.duration * 1_000;
    this.#maxKeys = maxKeys;
  }

  async get(key: string): Promise<Count | null> {
    const msBeforeNext = this.#msLeft(key);
    const count = msBeforeNext > 0 ? await this.#limiter.get(key) : null;
    return count && { consumedPoints: count.consumedPoints, msBeforeNext };
  }

  async penalty(key: string, points = 1): Promise<Count> {
    let msBeforeNext = this.#msLeft(key);
    if (msBeforeNext <= 0) {
      void this.delete(key);
      msBeforeNext = this.#msDuration;
    }
    this.#remember(key, { endsAt: performance.now() + msBeforeNext });
    const { consumedPoints } = await this.#limiter.penalty(key, points);
    return { consumedPoints, msBeforeNext };
  }

  /** Sets the count of a key to 1. An `owner` has at most 1,000 keys, and its oldest ones are dropped. */
  async set(key: string, owner?: string): Promise<void> {
    this.#remember(key, { endsAt: performance.now() + this.#msDuration, owner });
    await this.#limiter.set(key, 1, NEVER_EXPIRES);
  }

  /** Sets the count of a key beyond the limit, for the given time. */
  async block(key: string, seconds: number): Promise<void> {
    this.#remember(key, { endsAt: performance.now() + seconds * 1_000 });
    await this.#limiter.block(key, NEVER_EXPIRES);
  }

  delete(key: string): Promise<boolean> {
    this.#forget(key);
    return this.#limiter.delete(key);
  }

  #msLeft(key: string): number {
    return (this.#entries.get(key)?.endsAt ?? 0) - performance.now();
  }

  #remember(key: string, entry: Entry): void {
    this.#forget(key);
    this.#entries.set(key, entry);
    if (this.#entries.size > this.#maxKeys) this.#dropOldest(this.#maxKeys, () => true);
    const { owner } = entry;
    if (owner === undefined) return;
    const owned = (this.#owned.get(owner) ?? 0) + 1;
    this.#owned.set(owner, owned);
    if (owned > MAX_OWNED) this.#dropOldest(MAX_OWNED, (other) => other.owner === owner);
  }

  #forget(key: string): void {
    const { owner } = this.#entries.get(key) ?? {};
    this.#entries.delete(key);
    if (owner === undefined) return;
    const left = (this.#owned.get(owner) ?? 0) - 1;
    if (left > 0) this.#owned.set(owner, left);
    else this.#owned.delete(owner);
  }

  /**
   * Drops the oldest hundredth beyond a limit, many keys at once, because V8 is slow to find the first key of a map
   * after deletions.
   */
  #dropOldest(limit: number, isDroppable: (entry: Entry) => boolean): void {
    let excess = 1 + Math.floor(limit / 100);
    for (const [key, entry] of this.#entries) {
      if (!isDroppable(entry)) continue;
      void this.delete(key);
      excess -= 1;
      if (excess === 0) return;
    }
  }
}

/**
 * Makes the insurance limiter for the host's limiter, which rejects every call, because the library would otherwise
 * hide an outage. A check would then use the backend's old count, and each process would count alone.
 */
export function createRejectingInsurance(options: CounterOptions): RateLimiterAbstract {
  const limiter = createMemoryLimiter(options);
  return Object.assign(limiter, {
    get: rejectCall,
    penalty: rejectCall,
    set: rejectCall,
    block: rejectCall,
    delete: rejectCall,
  });
}

function rejectCall(): Promise<never> {
  return Promise.reject(new Error('The backend of the login throttle failed.'));
}

function createMemoryLimiter(options: CounterOptions): RateLimiterMemory {
  const library = require('rate-limiter-flexible') as typeof import('rate-limiter-flexible');
  return new library.RateLimiterMemory(options);
}
