import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a loop saw. */
export interface Timings {
  /** How long each attempt took that ended well, in milliseconds, in the order in which they ended. */
  readonly milliseconds: readonly number[];
  /** Why the others failed, and how often. */
  readonly failures: Readonly<Record<string, number>>;
}

/** Something that is tried and timed over and over, and ends in bounded time. */
export type Attempt = () => Promise<unknown>;

/** Tries and times until it is told to stop. */
export interface Loop {
  /** Tries no more, and waits for what is under way. */
  stop(): Promise<Timings>;
}

/**
 * Starts an attempt at a fixed rate, whether or not the ones before have ended, as callers do that know nothing of each
 * other: a loop that waited would ask least often when the answers are slowest, and hide the slowest ones.
 */
export function startOpenLoop(perSecond: number, attempt: Attempt): Loop {
  const stopwatch = new Stopwatch();
  const running = new Set<Promise<void>>();
  const timer = setInterval(() => {
    const run = stopwatch.time(attempt).finally(() => running.delete(run));
    running.add(run);
  }, 1000 / perSecond);

  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(running);
      return stopwatch.timings;
    },
  };
}

/**
 * Starts an attempt when the one before has ended, after a pause: for what would otherwise queue up behind itself, and
 * so be slow by being measured. Good for medians; the slowest are seen too seldom.
 */
export function startClosedLoop(pauseMs: number, attempt: Attempt): Loop {
  const stopwatch = new Stopwatch();
  let isOver = false;
  const keepTrying = async () => {
    while (!isOver) {
      await stopwatch.time(attempt);
      await sleep(pauseMs);
    }
  };
  const end = keepTrying();

  return {
    async stop() {
      isOver = true;
      await end;
      return stopwatch.timings;
    },
  };
}

class Stopwatch {
  readonly #milliseconds: number[] = [];
  readonly #failures: Record<string, number> = {};

  get timings(): Timings {
    return { milliseconds: this.#milliseconds, failures: this.#failures };
  }

  async time(attempt: Attempt): Promise<void> {
    const startedAt = performance.now();
    try {
      await attempt();
      this.#milliseconds.push(performance.now() - startedAt);
    } catch (error) {
      const reason = String(error);
      this.#failures[reason] = (this.#failures[reason] ?? 0) + 1;
    }
  }
}
