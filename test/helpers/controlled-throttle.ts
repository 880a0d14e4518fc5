import { RateLimiterMemory } from 'rate-limiter-flexible';
import {
  createLoginThrottle,
  type LimiterOptions,
  type LoginThrottle,
  type LoginThrottleOptions,
} from '../../src/index.js';

const METHODS = ['get', 'penalty', 'block', 'delete'] as const;

/** One call of the host's limiter by the throttle. */
interface LimiterCall {
  /** `emailAndSource`, `source`, `email`, `peer`, `knownSource` or `guess`. */
  readonly counter: string;
  readonly method: (typeof METHODS)[number];
  readonly key: string;
}

/** A throttle in memory. The test sees and controls the calls of its limiter. */
export interface ControlledThrottle {
  readonly throttle: LoginThrottle;
  readonly calls: LimiterCall[];
  /** Runs before each call, which waits for it. If it fails, the call fails. A test can replace it. */
  before: (call: LimiterCall) => unknown;
}

export function controlledThrottle(options: LoginThrottleOptions = {}): ControlledThrottle {
  const calls: LimiterCall[] = [];
  const limiter = (limiterOptions: LimiterOptions) => {
    const memory = new RateLimiterMemory(limiterOptions);
    const counter = limiterOptions.keyPrefix.split(':')[1] ?? '';
    for (const method of METHODS) {
      const original = memory[method].bind(memory) as (...args: unknown[]) => unknown;
      const controlled = async (key: string, ...rest: unknown[]) => {
        const call = { counter, method, key };
        calls.push(call);
        await control.before(call);
        return original(key, ...rest);
      };
      Object.assign(memory, { [method]: controlled });
    }
    return memory;
  };
  const control: ControlledThrottle = {
    throttle: createLoginThrottle({ limiter, ...options }),
    calls,
    before: () => undefined,
  };
  return control;
}
