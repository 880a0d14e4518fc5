import { mock } from 'node:test';

/** Controls `performance.now()`, which stands still, so that the rest of a failed backend ends only when the test says so. */
export interface SkippingClock {
  skip(ms: number): void;
}

/** Stops `performance.now()`, and moves it forward. Timers and Redis go on. */
export function skippingClock(): SkippingClock {
  let now = performance.now();
  mock.method(performance, 'now', () => now);
  return {
    skip(ms) {
      now += ms;
    },
  };
}

afterEach('let the clock tell the time again', () => {
  mock.restoreAll();
});
