import type { LoginThrottle } from '../../src/throttle/login-throttle.js';
import type { ThrottleKeys } from '../../src/throttle/throttle-check.js';

let passwords = 0;

/** Returns a wrong password that nobody tried before. */
export function newPassword(): string {
  return `wrong ${passwords++}`;
}

/** Counts a new wrong password. Resolves to the seconds to wait. */
export async function failOnce(throttle: LoginThrottle, keys: ThrottleKeys, secondsIfWrong?: number): Promise<number> {
  return (await throttle.fail(keys, newPassword(), secondsIfWrong)).seconds;
}

/** Counts new wrong passwords. Resolves to the seconds to wait after the last one. */
export async function fail(
  throttle: LoginThrottle,
  times: number,
  keysOfTime: (time: number) => ThrottleKeys,
): Promise<number> {
  let seconds = 0;
  for (let time = 0; time < times; time++) seconds = await failOnce(throttle, keysOfTime(time));
  return seconds;
}

export async function secondsOf(throttle: LoginThrottle, keys: ThrottleKeys): Promise<number> {
  return (await throttle.check(keys)).seconds;
}
