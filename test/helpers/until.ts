import { setImmediate } from 'node:timers/promises';

/** Waits for what other parts of this process do next; the test times out when they never do it. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await setImmediate();
}

/** Lets everything run that does not wait for I/O or for the test. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await setImmediate();
}
