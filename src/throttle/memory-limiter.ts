import { LRUCache } from 'lru-cache';
import type { RateLimiterRes } from 'rate-limiter-flexible';

/** Attackers must not fill the memory. */
export const MAX_KEYS = 100_000;

/** The logins of one email must not drop the keys of others. */
export const MAX_OWNED = 1_000;

export type Count = Pick<RateLimiterRes, 'consumedPoints' | 'msBeforeNext'>;

/**
 * Drops the oldest keys beyond `maxKeys`. The memory limiter of rate-limiter-flexible has no such bound, and uses the
 * clock of the system, which can jump.
 */
export class MemoryLimiter {
  readonly #entries: LRUCache<string, { readonly points: number; readonly owner?: string }>;
  /** In the order in which they were blocked. */
  readonly #owned = new Map<string | undefined, Set<string>>();

  constructor(seconds: number, maxKeys = MAX_KEYS) {
    this.#entries = new LRUCache({
      // lru-cache reserves memory for `max` keys in its constructor, and none for `maxSize`.
      maxSize: maxKeys,
      sizeCalculation: () => 1,
      ttl: seconds * 1_000,
      ttlResolution: 0,
      // lru-cache takes 0 for an entry without a time, and fake timers can begin there.
      perf: { now: () => performance.now() + 1 },
      dispose: ({ owner }, key) => {
        const owned = this.#owned.get(owner);
        owned?.delete(key);
        if (owned?.size === 0) this.#owned.delete(owner);
      },
    });
  }

  get(key: string): Count | null {
    const entry = this.#entries.peek(key);
    const msBeforeNext = this.#entries.getRemainingTTL(key);
    return entry && msBeforeNext > 0 ? { consumedPoints: entry.points, msBeforeNext } : null;
  }

  penalty(key: string): Count {
    const before = this.get(key);
    const consumedPoints = (before?.consumedPoints ?? 0) + 1;
    this.#entries.set(key, { points: consumedPoints }, { noUpdateTTL: before !== null });
    return { consumedPoints, msBeforeNext: this.#entries.getRemainingTTL(key) };
  }

  block(key: string, owner?: string): void {
    this.#entries.set(key, { points: Infinity, ...(owner !== undefined && { owner }) });
    if (owner === undefined) return;
    const owned = this.#owned.get(owner) ?? new Set();
    this.#owned.set(owner, owned.add(key));
    const [oldest] = owned;
    if (oldest !== undefined && owned.size > MAX_OWNED) this.#entries.delete(oldest);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}
