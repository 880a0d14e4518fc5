import { RateLimiterMemory } from 'rate-limiter-flexible';
import { createLoginThrottle, type LimiterOptions, type LoginThrottleOptions } from '../../src/index.js';
import { expectTypeError } from '../helpers/thrown.js';

const DAY = 86_400;
const call = () => Promise.resolve(null);
const METHODS = { get: call, penalty: call, block: call, delete: call };
const HINT = 'Return a limiter, not a promise of one: (options) => new RateLimiterRedis({ ...options, storeClient }).';

describe('createLoginThrottle refuses at construction', () => {
  const refused: readonly (readonly [what: string, options: unknown, message: string])[] = [
    [
      'an unknown option',
      { window: 900 },
      'createLoginThrottle: unknown option "window". Known options: emailAndSource, source, email, limiter.',
    ],
    [
      'a limit of nothing',
      { source: { failures: 0, seconds: 900 } },
      'createLoginThrottle: source.failures must be a whole number at least 1.',
    ],
    [
      'a limit that is not a whole number',
      { emailAndSource: { failures: 1.5, seconds: 900 } },
      'createLoginThrottle: emailAndSource.failures must be a whole number at least 1.',
    ],
    [
      'a limit that is a number alone',
      { email: 10 },
      'createLoginThrottle: email.failures must be a whole number at least 1.',
    ],
    [
      'a limit without a time',
      { email: { failures: 10 } },
      'createLoginThrottle: email.seconds must be a whole number from 1 to 1209600.',
    ],
    [
      'a time longer than a timer can hold',
      { email: { failures: 10, seconds: 30 * DAY } },
      'createLoginThrottle: email.seconds must be a whole number from 1 to 1209600.',
    ],
    [
      'an unknown member of a limit',
      { email: { failures: 10, seconds: 60, lockSeconds: 1_800 } },
      'createLoginThrottle: email: unknown option "lockSeconds". Known options: failures, seconds.',
    ],
    ['a limiter that is none', { limiter: {} }, 'createLoginThrottle: limiter must be a function.'],
    [
      'a limiter that returns nothing',
      { limiter: () => undefined },
      `createLoginThrottle: the result of limiter has no method get. ${HINT}`,
    ],
    [
      'a limiter that is asynchronous',
      { limiter: (options: LimiterOptions) => Promise.resolve(new RateLimiterMemory(options)) },
      `createLoginThrottle: the result of limiter has no method get. ${HINT}`,
    ],
    ...(['get', 'penalty', 'block', 'delete'] as const).map((method) => {
      const limiter = () => ({ ...METHODS, [method]: undefined });
      const message = `createLoginThrottle: the result of limiter has no method ${method}. ${HINT}`;
      return [`a limiter without ${method}`, { limiter }, message] as const;
    }),
  ];
  for (const [what, options, message] of refused) {
    it(what, () => {
      expectTypeError(() => createLoginThrottle(options as LoginThrottleOptions), message);
    });
  }
});
