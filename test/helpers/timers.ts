import { settle } from './until.js';

/**
 * Starts to count the timers that keep the process alive.
 * @returns a function that returns how many there are more than at the start
 */
export async function countTimers(): Promise<() => number> {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  // mocha sets the timer of this test.
  await settle();
  const before = timers();
  return () => timers() - before;
}
