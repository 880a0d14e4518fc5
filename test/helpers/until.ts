import { setImmediate } from 'node:timers/promises';

let testsEnded = 0;
afterEach('stop waiting', () => {
  testsEnded += 1;
});

/** Waits until a condition holds. If it never holds, the test times out. */
export async function until(holds: () => boolean): Promise<void> {
  const before = testsEnded;
  while (!holds()) {
    if (testsEnded !== before) throw new Error('The test ended before its condition held.');
    await setImmediate();
  }
}

/** Waits until all code has run that does not wait for I/O or for the test. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await setImmediate();
}
