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
