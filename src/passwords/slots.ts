import { availableParallelism } from 'node:os';
import { tooBusy } from '../errors/auth-error.js';

/**
 * The longest wait of a computation, in seconds. One timer counts each second, so that a blocked event loop lengthens
 * the wait and does not end it.
 */
const MAX_WAIT_SECONDS = 10;

/** The number of computations whose median time predicts the wait. */
const SAMPLES = 32;

/** The number of libuv's threads when UV_THREADPOOL_SIZE is not set. */
const DEFAULT_THREADS = 4;

/**
 * Returns half of libuv's threads, at least one and at most the number of cores. Files, DNS and new database
 * connections need the other half, and more computations than cores only wait for each other.
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

export interface WaitOptions {
  /** True for a login from a known source, and for the host's own calls. Default true. */
  readonly isKnown?: boolean;
  /** Aborts the wait when nothing needs the result any more. */
  readonly signal?: AbortSignal;
}

/**
 * Runs a limited number of computations at a time, each in a slot. Known sources and others wait in two queues. Of four
 * slots that become free, known sources get three and the others get one, so that a flood of strangers does not block
 * merchants.
 */
export class Slots {
  #running = 0;
  #turn = 0;
  readonly #known = new Set<Waiter>();
  readonly #others = new Set<Waiter>();
  readonly #times: number[] = [];

  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#running, waiting: this.#known.size + this.#others.size };
  }

  /** Estimates the wait of a computation that comes now, in milliseconds. */
  estimateWaitMs(limit: number, isKnown: boolean): number {
    const [own, other] = isKnown ? [this.#known.size, this.#others.size] : [this.#others.size, this.#known.size];
    // Known sources get three of four slots, so that one stranger overtakes every three known logins, and three known
    // logins overtake each stranger.
    const overtaking = Math.min(other, isKnown ? own / 3 : own * 3);
    return ((own + overtaking) * this.#medianTime()) / limit;
  }

  /**
   * Runs `compute` when a slot is free, and holds the slot until it ends.
   * @throws `tooBusy()` after 10 s; the signal's reason when it aborts while waiting
   */
  async run<Result>(limit: number, compute: () => Promise<Result>, options: WaitOptions = {}): Promise<Result> {
    options.signal?.throwIfAborted();
    if (this.#running >= limit || this.load.waiting > 0) await this.#wait(limit, options);
    else this.#running += 1;
    const startedAt = performance.now();
    try {
      return await compute();
    } finally {
      this.#times.push(performance.now() - startedAt);
      if (this.#times.length > SAMPLES) this.#times.shift();
      this.#running -= 1;
      this.#next();
    }
  }

  /** Runs `compute` when a slot is free and nobody waits. Otherwise returns `undefined` and does not run it. */
  async tryRun<Result>(limit: number, compute: () => Promise<Result>): Promise<Result | undefined> {
    const { running, waiting } = this.load;
    return running < limit && waiting === 0 ? this.run(limit, compute) : undefined;
  }

  #wait(limit: number, { isKnown = true, signal }: WaitOptions): Promise<void> {
    const queue = isKnown ? this.#known : this.#others;
    return new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
        queue.delete(waiter);
      };
      const giveUp = () => {
        settle();
        reject(signal?.aborted ? (signal.reason as Error) : tooBusy());
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
      let seconds = 0;
      const countSecond = () => {
        seconds += 1;
        if (seconds < MAX_WAIT_SECONDS) timer = setTimeout(countSecond, 1_000);
        else giveUp();
      };
      let timer = setTimeout(countSecond, 1_000);
      signal?.addEventListener('abort', giveUp);
      queue.add(waiter);
    });
  }

  #next(): void {
    for (;;) {
      const isTurnOfOthers = this.#turn === 3;
      const [queue, other] = isTurnOfOthers ? [this.#others, this.#known] : [this.#known, this.#others];
      const [waiter] = queue.size > 0 ? queue : other;
      if (waiter === undefined || this.#running >= waiter.limit) return;
      if (queue.size > 0 && other.size > 0) this.#turn = (this.#turn + 1) % 4;
      waiter.start();
    }
  }

  #medianTime(): number {
    const sorted = this.#times.toSorted((one, other) => one - other);
    return sorted[Math.floor(sorted.length / 2)] ?? 0;
  }
}

/** The slots of this process. All `Passwords` share them, because all computations use the same libuv threads. */
export const processSlots = new Slots();
