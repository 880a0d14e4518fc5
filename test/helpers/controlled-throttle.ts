import { type RateLimiterAbstract, RateLimiterMemory } from 'rate-limiter-flexible';
import {
  createLoginThrottle,
  type LimiterOptions,
  type LoginThrottle,
  type LoginThrottleOptions,
} from '../../src/index.js';
import { LIMITER_METHODS } from '../../src/throttle/counter.js';

type LimiterMethod = (typeof LIMITER_METHODS)[number];

interface LimiterCall {
  /** `emailAndSource`, `source`, `email`, `peer`, `knownSource` or `guess`. */
  readonly counter: string;
  readonly method: LimiterMethod;
  readonly key: string;
}

/** A throttle in memory. The test sees and controls the calls of its limiter. */
interface ControlledThrottle {
  readonly throttle: LoginThrottle;
  readonly calls: LimiterCall[];
  /** Runs before each call, which waits for it. If it fails, the call fails. A test can replace it. */
  before: (call: LimiterCall) => unknown;
}

/** Runs `before` before each call of the limiter's methods. The call waits for it, and fails if it fails. */
export function controlLimiter(
  limiter: RateLimiterAbstract,
  before: (method: LimiterMethod, key: string) => unknown,
): void {
  for (const method of LIMITER_METHODS) {
    const original = limiter[method].bind(limiter) as (...args: unknown[]) => unknown;
    const controlled = async (key: string, ...rest: unknown[]) => {
      await before(method, key);
      return original(key, ...rest);
    };
    Object.assign(limiter, { [method]: controlled });
  }
}

export function controlledThrottle(options: LoginThrottleOptions = {}): ControlledThrottle {
  const calls: LimiterCall[] = [];
  const limiter = (limiterOptions: LimiterOptions) => {
    const memory = new RateLimiterMemory(limiterOptions);
    const counter = limiterOptions.keyPrefix.split(':')[1] ?? '';
    controlLimiter(memory, (method, key) => {
      const call = { counter, method, key };
      calls.push(call);
      return control.before(call);
    });
    return memory;
  };
  const control: ControlledThrottle = {
    throttle: createLoginThrottle({ limiter, ...options }),
    calls,
    before: () => undefined,
  };
  return control;
}
