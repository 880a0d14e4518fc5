import { mock } from 'node:test';

/** A clock that stands still, and timers that wait for it. */
export interface FrozenTime {
  pass(seconds: number): void;
  /** Lets time pass without timers, as when the process is stopped. The next timers are late. */
  standStill(seconds: number): void;
  /** Sets `Date.now` forward or back, as an operator sets the clock of the system. No time passes. */
  jump(seconds: number): void;
}

const LEAST_STEP_MS = 10;
const MOST_STEPS = 1_000;

let isFrozen = false;
let passed = 0;

/** Stops `Date`, `performance.now` and `setTimeout` until the test is over. */
export function freezeTime(): FrozenTime {
  if (!isFrozen) {
    mock.timers.enable({ apis: ['Date', 'setTimeout'], now: Date.UTC(2026, 0, 15, 12) });
    performance.now = () => passed;
  }
  isFrozen = true;
  return { pass, standStill, jump };
}

/** Lets time pass in steps, because a timer can set the next one. */
function pass(seconds: number): void {
  const total = Math.round(seconds * 1000);
  const step = Math.max(LEAST_STEP_MS, Math.ceil(total / MOST_STEPS));
  for (let left = total; left > 0; left -= step) {
    passed += Math.min(step, left);
    mock.timers.tick(Math.min(step, left));
  }
}

function standStill(seconds: number): void {
  passed += seconds * 1000;
}

function jump(seconds: number): void {
  const { now } = Date;
  Date.now = () => now() + seconds * 1000;
}

afterEach('let time pass again', () => {
  if (isFrozen) {
    mock.reset();
    // The method of the prototype is there again.
    Reflect.deleteProperty(performance, 'now');
  }
  isFrozen = false;
});
