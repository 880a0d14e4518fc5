import { mock } from 'node:test';

/** A clock that stands still, and timers that wait for it. */
export interface FrozenTime {
  pass(seconds: number): void;
}

const LEAST_STEP_MS = 10;
const MOST_STEPS = 1_000;

let isFrozen = false;

/** Stops `Date` and `setTimeout` until the test is over. */
export function freezeTime(): FrozenTime {
  if (!isFrozen) mock.timers.enable({ apis: ['Date', 'setTimeout'], now: Date.UTC(2026, 0, 15, 12) });
  isFrozen = true;
  return { pass };
}

/** Lets time pass in steps, because a timer can set the next one. */
function pass(seconds: number): void {
  const total = Math.round(seconds * 1000);
  const step = Math.max(LEAST_STEP_MS, Math.ceil(total / MOST_STEPS));
  for (let left = total; left > 0; left -= step) mock.timers.tick(Math.min(step, left));
}

afterEach('let time pass again', () => {
  if (isFrozen) mock.timers.reset();
  isFrozen = false;
});
