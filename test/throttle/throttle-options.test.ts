import { RateLimiterMemory } from 'rate-limiter-flexible';
import { createLoginThrottle, type LimiterOptions, type LoginThrottleOptions } from '../../src/index.js';
import { LIMITER_METHODS } from '../../src/throttle/counter.js';
import { expectTypeError } from '../helpers/thrown.js';

const DAY = 86_400;
const call = () => Promise.resolve(null);
const METHODS = { get: call, penalty: call, block: call, delete: call };
const HINT = 'Return a limiter, not a promise of one: (options) => new RateLimiterRedis({ ...options, storeClient }).';

describe('createLoginThrottle refuses at construction', () => {
  const atLeastOne = 'must be a whole number at least 1.';
  const upToTwoWeeks = 'email.seconds must be a whole number from 1 to 1209600.';
  const refused: readonly (readonly [what: string, options: unknown, message: string])[] = [
    [
      'an unknown option',
      { window: 900 },
      'unknown option "window". Known options: emailAndSource, source, email, limiter.',
    ],
    ['a limit of nothing', { source: { failures: 0, seconds: 900 } }, `source.failures ${atLeastOne}`],
    ['a limit that is a number alone', { email: 10 }, `email.failures ${atLeastOne}`],
    ['a limit without a time', { email: { failures: 10 } }, upToTwoWeeks],
    ['a time longer than a timer can hold', { email: { failures: 10, seconds: 30 * DAY } }, upToTwoWeeks],
    [
      'an unknown member of a limit',
      { email: { failures: 10, seconds: 60, lockSeconds: 1_800 } },
      'email: unknown option "lockSeconds". Known options: failures, seconds.',
    ],
    ['a limiter that is none', { limiter: {} }, 'limiter must be a function.'],
    [
      'a limiter that is asynchronous',
      { limiter: (options: LimiterOptions) => Promise.resolve(new RateLimiterMemory(options)) },
      `the result of limiter has no method get. ${HINT}`,
    ],
    ...LIMITER_METHODS.map((method) => {
      const limiter = () => ({ ...METHODS, [method]: undefined });
      return [
        `a limiter without ${method}`,
        { limiter },
        `the result of limiter has no method ${method}. ${HINT}`,
      ] as const;
    }),
  ];
  for (const [what, options, message] of refused) {
    it(what, () => {
      expectTypeError(() => createLoginThrottle(options as LoginThrottleOptions), `createLoginThrottle: ${message}`);
    });
  }
});
