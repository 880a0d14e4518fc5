import { mock } from 'node:test';

/** The clock `performance.now()`, which goes on. */
export interface SkippingClock {
  skip(ms: number): void;
}

/** Lets a test skip some of the time by which the throttle lets its backend rest. */
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
