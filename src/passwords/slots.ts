import { availableParallelism } from 'node:os';
import { AuthError } from '../errors/auth-error.js';

/** How long a computation waits for a slot, in milliseconds, before it is refused. */
export const MAX_WAIT_MS = 5_000;

/** The number of libuv's threads when UV_THREADPOOL_SIZE is not set. */
const DEFAULT_THREADS = 4;

/**
 * Returns half of libuv's threads, at least one and at most the number of cores. Files, DNS and so new connections to a
 * database use the same threads, and more computations than cores only wait for each other.
 */
export function defaultConcurrentHashes(): number {
  const size = process.env['UV_THREADPOOL_SIZE'];
  // libuv reads the digits at the start of the text, and takes one thread when there are none.
  const threads = size === undefined ? DEFAULT_THREADS : Number.parseInt(size, 10);
  return Math.max(1, Math.min(Math.floor((Number.isNaN(threads) ? 1 : threads) / 2), availableParallelism()));
}

interface Waiter {
  readonly limit: number;
  readonly start: () => void;
}

/** The conditions under which a computation stops waiting for its slot. */
export interface Waiting {
  /** Aborts the wait, because nobody wants the result any more. */
  readonly signal?: AbortSignal;
  /** The longest wait, in milliseconds. Default: no limit. */
  readonly maxWaitMs?: number;
}

/** Runs a bounded number of computations at a time, in the order in which they came. */
export class Slots {
  #running = 0;
  readonly #waiters = new Set<Waiter>();

  /** The number of computations that wait. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /**
   * Runs `compute` when fewer than `limit` computations run, and holds the slot until it ends.
   * @throws AuthError `too_busy` after `maxWaitMs`; the signal's reason when it aborts while waiting
   */
  async run<Result>(limit: number, compute: () => Promise<Result>, waiting: Waiting = {}): Promise<Result> {
    waiting.signal?.throwIfAborted();
    if (this.#running >= limit || this.#waiters.size > 0) await this.#wait(limit, waiting);
    else this.#running += 1;
    try {
      return await compute();
    } finally {
      this.#running -= 1;
      this.#next();
    }
  }

  /** Runs `compute` when a slot is free and nobody waits. Otherwise returns `undefined` and does not run it. */
  async tryRun<Result>(limit: number, compute: () => Promise<Result>): Promise<Result | undefined> {
    return this.#running < limit && this.#waiters.size === 0 ? this.run(limit, compute) : undefined;
  }

  /** Resolves when a slot was taken. */
  #wait(limit: number, { signal, maxWaitMs }: Waiting): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
        this.#waiters.delete(waiter);
      };
      const giveUp = () => {
        settle();
        reject(signal?.aborted ? (signal.reason as Error) : new AuthError('too_busy'));
        this.#next();
      };
      const waiter: Waiter = {
        limit,
        start: () => {
          settle();
          this.#running += 1;
          resolve();
        },
      };
      const timer = maxWaitMs === undefined ? undefined : setTimeout(giveUp, maxWaitMs);
      signal?.addEventListener('abort', giveUp);
      this.#waiters.add(waiter);
    });
  }

  #next(): void {
    for (const waiter of this.#waiters) {
      if (this.#running >= waiter.limit) return;
      waiter.start();
    }
  }
}

/** The slots of this process. All `Passwords` share them, because all computations share libuv's threads. */
export const processSlots = new Slots();
