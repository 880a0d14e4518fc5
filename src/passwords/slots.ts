import { availableParallelism } from 'node:os';
import { AuthError } from '../errors/auth-error.js';

/** How long a login waits for a permit, in milliseconds, before it is answered that there are too many. */
export const MAX_WAIT_MS = 5_000;

/** What node's `uv_threadpool` has when UV_THREADPOOL_SIZE is not set. */
const DEFAULT_THREADS = 4;

/**
 * Half of libuv's threads, at least one, at most the number of cores: files, DNS and so new connections to a database
 * run on the same threads, and more computations than cores only wait for each other.
 */
export function defaultPermits(): number {
  const size = process.env['UV_THREADPOOL_SIZE'];
  // libuv reads the digits that the text begins with, and takes one thread when there are none.
  const threads = size === undefined ? DEFAULT_THREADS : Number.parseInt(size, 10);
  return Math.max(1, Math.min(Math.floor((Number.isNaN(threads) ? 1 : threads) / 2), availableParallelism()));
}

interface Waiter {
  readonly limit: number;
  readonly start: () => void;
}

/** How a computation waits for its permit. */
export interface Waiting {
  /** Gives the wait up, since nobody wants the answer any more. */
  readonly signal?: AbortSignal;
  /** The longest wait, in milliseconds. Default: no limit. */
  readonly maxWaitMs?: number;
}

/** Lets a bounded number of computations run at a time, in the order in which they came. */
export class Permits {
  #running = 0;
  readonly #waiters = new Set<Waiter>();

  /** How many computations wait. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /**
   * Runs `compute` when fewer than `limit` computations run, and holds the permit until it ends.
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

  /** Runs `compute` when a permit is free and nobody waits for one; else it does not, and `undefined` comes back. */
  async tryRun<Result>(limit: number, compute: () => Promise<Result>): Promise<Result | undefined> {
    return this.#running < limit && this.#waiters.size === 0 ? this.run(limit, compute) : undefined;
  }

  /** Ends when a permit was taken. */
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
      if (signal?.aborted) giveUp();
    });
  }

  #next(): void {
    for (const waiter of this.#waiters) {
      if (this.#running >= waiter.limit) return;
      waiter.start();
    }
  }
}

/** The permits of this process, whose threads all computations share, whichever `Passwords` they come from. */
export const processPermits = new Permits();

/** Places for what is in progress; what comes beyond them is shed. */
export class Places {
  #taken = 0;

  /** Takes a place when fewer than `limit` are taken. @returns what gives it back, once; `undefined` when there is none */
  enter(limit: number): (() => void) | undefined {
    if (this.#taken >= limit) return undefined;
    this.#taken += 1;
    let isTaken = true;
    return () => {
      if (isTaken) this.#taken -= 1;
      isTaken = false;
    };
  }
}

/** The places of this process for logins; one beyond them is shed before anything is looked up. */
export const processPlaces = new Places();
