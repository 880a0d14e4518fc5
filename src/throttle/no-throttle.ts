import type { LoginThrottle } from './login-throttle.js';
import type { ArrivalCheck } from './throttle-types.js';

/** @internal */
export type Throttle = Pick<LoginThrottle, 'isShared' | 'check' | 'recheck' | 'fail' | 'succeed' | 'forgive'>;

const PASSED: ArrivalCheck = { seconds: 0, isKnown: true, isRepeated: false, isSourceLimit: false };

/** @internal For a host with another limit in front. */
export const NO_THROTTLE: Throttle = {
  isShared: false,
  check: () => Promise.resolve(PASSED),
  recheck: () => Promise.resolve(PASSED),
  fail: () => Promise.resolve(PASSED),
  succeed: () => undefined,
  forgive: () => Promise.resolve(),
};
