import { mock } from 'node:test';
import type { Passwords } from '../../src/index.js';

/** The number of computations whose median predicts the wait. */
const SAMPLES = 32;

/**
 * Makes the last computations of the process last `ms` each, and later ones no time, for the rest of this test. The
 * estimate of the wait otherwise depends on the tests before. Give passwords that compute nothing.
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

afterEach('the real clock of the estimate', () => mock.restoreAll());
