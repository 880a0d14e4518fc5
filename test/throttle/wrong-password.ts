import type { LoginThrottle } from '../../src/throttle/login-throttle.js';
import type { ThrottleCheck, ThrottleKeys } from '../../src/throttle/throttle-types.js';

/** The check of a login below all limits. */
export const BELOW: ThrottleCheck = { seconds: 0, isSourceLimit: false };

let passwords = 0;

/** Returns the keys of a login whose source is determined, with a guess that nobody made before. */
export function keysOf(email: string, source: string, guess = `wrong ${passwords++}`): ThrottleKeys {
  return {
    guess: `${guess} for ${email} from ${source}`,
    email,
    source,
    emailAndSource: `${email} from ${source}`,
    isSourceDetermined: true,
  };
}

/** Returns the keys of a login whose source is undetermined. */
export function keysThrough(peer: string, email: string): ThrottleKeys {
  return { ...keysOf(email, peer), emailAndSource: `${email} through ${peer}`, isSourceDetermined: false };
}

/** Counts wrong passwords one after the other. Resolves to the seconds to wait after the last one. */
export async function fail(
  throttle: LoginThrottle,
  times: number,
  keysOfTime: (time: number) => ThrottleKeys,
): Promise<number> {
  let seconds = 0;
  for (let time = 0; time < times; time++) ({ seconds } = await throttle.fail(keysOfTime(time), false));
  return seconds;
}

export async function secondsOf(throttle: LoginThrottle, keys: ThrottleKeys): Promise<number> {
  return (await throttle.check(keys)).seconds;
}
