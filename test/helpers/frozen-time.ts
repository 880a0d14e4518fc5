import { mock } from 'node:test';

/** A clock that stands still, and timers that wait for it. */
export interface FrozenTime {
  pass(seconds: number): void;
}

let isFrozen = false;

/** Stops `Date` and `setTimeout` until the test is over. */
export function freezeTime(): FrozenTime {
  if (!isFrozen) mock.timers.enable({ apis: ['Date', 'setTimeout'], now: Date.UTC(2026, 0, 15, 12) });
  isFrozen = true;
  return { pass: (seconds) => mock.timers.tick(seconds * 1000) };
}

afterEach('let time pass again', () => {
  if (isFrozen) mock.timers.reset();
  isFrozen = false;
});
