import { mock } from 'node:test';
import type { Passwords } from '../../src/index.js';

/** The number of computations whose median predicts the wait. */
const SAMPLES = 32;

/**
 * Sets the duration of the last computations to `ms`, because the estimate of the wait depends on them. Later computations
 * of this test take no time. `passwords` must compute nothing.
 */
export async function setComputationTimes(passwords: Passwords, ms: number): Promise<void> {
  let now = 0;
  mock.method(performance, 'now', () => now);
  for (let sample = 0; sample < SAMPLES; sample++) {
    const done = passwords.verify('', null);
    now += ms;
    await done;
  }
}

afterEach('restore the real clock of the estimate', () => mock.restoreAll());
