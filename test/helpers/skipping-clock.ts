import { mock } from 'node:test';

/** Controls `performance.now()`, which still runs. */
export interface SkippingClock {
  skip(ms: number): void;
}

/** Moves `performance.now()` forward, so that a test can skip the rest of a failed backend. */
export function skippingClock(): SkippingClock {
  let skipped = 0;
  const now = performance.now.bind(performance);
  mock.method(performance, 'now', () => now() + skipped);
  return {
    skip(ms) {
      skipped += ms;
    },
  };
}

afterEach('let the clock tell the time again', () => {
  mock.restoreAll();
});
