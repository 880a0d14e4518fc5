import { availableParallelism } from 'node:os';
import { tooBusy } from '../errors/auth-error.js';
import { within } from '../errors/host-calls.js';

/** The longest wait of a computation, in milliseconds. */
const MAX_WAIT_MS = 10_000;

/** One of so many slots that become free goes to unknown sources, while both wait. */
const TURNS = 4;

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
  start: () => void;
}

/** Runs a limited number of computations at a time, each in a slot. */
export class Slots {
  #running = 0;
  #turn = 0;
  readonly #known = new Set<Waiter>();
  readonly #others = new Set<Waiter>();

  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#running, waiting: this.#known.size + this.#others.size };
  }

  /**
   * Runs `compute` when a slot is free, and holds the slot until it ends.
   * @param isKnown true for a login from a known source, and for the host's own calls. These come first, and every fourth
   *   slot goes to the others
   * @throws `tooBusy()` after 10 s
   */
  async run<Result>(limit: number, compute: () => Promise<Result>, isKnown = true): Promise<Result> {
    await this.#takeSlot(limit, isKnown ? this.#known : this.#others);
    try {
      return await compute();
    } finally {
      this.#running -= 1;
      this.#startNext();
    }
  }

  /** Runs `compute` when a slot is free and nobody waits. Otherwise returns `undefined` and does not run it. */
  async tryRun<Result>(limit: number, compute: () => Promise<Result>): Promise<Result | undefined> {
    const { running, waiting } = this.load;
    return running < limit && waiting === 0 ? this.run(limit, compute) : undefined;
  }

  async #takeSlot(limit: number, queue: Set<Waiter>): Promise<void> {
    const waiter: Waiter = { limit, start: () => undefined };
    const started = new Promise<void>((resolve) => (waiter.start = resolve));
    queue.add(waiter);
    this.#startNext();
    if (!queue.has(waiter)) return;
    await within(MAX_WAIT_MS, () => started).catch(() => {
      // It can have started in the same instant.
      if (queue.delete(waiter)) throw tooBusy();
    });
  }

  /** Starts the computations that have a slot. A limit that is reached does not hold up a higher one. */
  #startNext(): void {
    for (;;) {
      const areBothWaiting = this.#known.size > 0 && this.#others.size > 0;
      const isTurnOfOthers = areBothWaiting && this.#turn === TURNS - 1;
      const [first, second] = isTurnOfOthers ? [this.#others, this.#known] : [this.#known, this.#others];
      const next = this.#nextOf(first) ?? this.#nextOf(second);
      if (next === undefined) return;
      if (areBothWaiting) this.#turn = (this.#turn + 1) % TURNS;
      for (const queue of [this.#known, this.#others]) queue.delete(next);
      this.#running += 1;
      next.start();
    }
  }

  #nextOf(queue: ReadonlySet<Waiter>): Waiter | undefined {
    for (const waiter of queue) if (this.#running < waiter.limit) return waiter;
    return undefined;
  }
}

/** The slots of this process. All `Passwords` share them, because all computations use the same libuv threads. */
export const processSlots = new Slots();
