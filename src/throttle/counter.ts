import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import type { Backend, WriteKind } from './backend.js';
import type { BoundedMemoryLimiter, Count } from './memory-limiter.js';
import type { FailureLimit } from './throttle-options.js';

export interface SharedLimiter {
  readonly limiter: RateLimiterAbstract;
  readonly backend: Backend;
}

/** Counts for one limit of the throttle: in the backend, if there is one, and in memory during an outage. */
export class Counter {
  readonly #limit: FailureLimit;
  readonly #memory: BoundedMemoryLimiter;
  readonly #shared: SharedLimiter | undefined;

  constructor(limit: FailureLimit, memory: BoundedMemoryLimiter, shared: SharedLimiter | undefined) {
    this.#limit = limit;
    this.#memory = memory;
    this.#shared = shared;
  }

  /** Resolves to the seconds until a key may be used again; 0 while it is below the limit. */
  async secondsToWait(key: string): Promise<number> {
    return this.#secondsLeft(await this.#count(key), this.#limit.failures);
  }

  async has(key: string): Promise<boolean> {
    return (await this.#count(key)) !== null;
  }

  /** Counts a failure. Resolves to the seconds to wait when the failure is beyond the limit, else to 0. */
  async fail(key: string): Promise<number> {
    const shared = await this.#write('penalty', (limiter) => limiter.penalty(key));
    const own = shared === undefined ? await this.#memory.penalty(key) : await this.#memory.get(key);
    return this.#secondsLeft(higherOf(shared, own), this.#limit.failures + 1);
  }

  /** Sets a key, in backend and memory. The memory holds a limited number of keys of one owner. */
  async set(key: string, owner: string): Promise<void> {
    await this.#memory.set(key, owner);
    await this.#write('set', (limiter) => limiter.set(key, 1, this.#limit.seconds));
  }

  /** Clears a key, in backend and memory. */
  async clear(key: string): Promise<void> {
    await this.#memory.delete(key);
    await this.#write('delete', (limiter) => limiter.delete(key));
  }

  /**
   * Clears a key for an operator, who has to know that the backend did it.
   * @throws the error of the backend
   */
  async forgive(key: string): Promise<void> {
    await this.#memory.delete(key);
    const { limiter, backend } = this.#shared ?? {};
    if (limiter) await backend?.insist('delete', () => limiter.delete(key));
  }

  async #count(key: string): Promise<Count | null> {
    const { limiter, backend } = this.#shared ?? {};
    const shared = limiter && (await backend?.read(() => limiter.get(key)));
    return higherOf(shared, await this.#memory.get(key));
  }

  async #write<Result>(
    kind: WriteKind,
    call: (limiter: RateLimiterAbstract) => Promise<Result>,
  ): Promise<Result | undefined> {
    const { limiter, backend } = this.#shared ?? {};
    return limiter && backend?.write(kind, () => call(limiter));
  }

  #secondsLeft(count: Count | null, threshold: number): number {
    if (count === null || count.consumedPoints < threshold) return 0;
    return Math.min(this.#limit.seconds, Math.ceil(count.msBeforeNext / 1000));
  }
}

/**
 * Returns the higher count of backend and memory. A count of the backend without time left is absent, because the clock
 * of the backend can have jumped.
 */
function higherOf(shared: Count | null | undefined, own: Count | null): Count | null {
  if (shared == null || shared.msBeforeNext <= 0) return own;
  return own !== null && own.consumedPoints > shared.consumedPoints ? own : shared;
}
