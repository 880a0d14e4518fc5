import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import type { LimiterOptions } from './throttle-options.js';

/**
 * Makes the insurance limiter for the host's limiter, which rejects every call, because the library would otherwise
 * hide an outage. A check would then use the backend's old count, and each process would count alone.
 */
export function createRejectingInsurance(options: Omit<LimiterOptions, 'insuranceLimiter'>): RateLimiterAbstract {
  const { RateLimiterMemory } = require('rate-limiter-flexible') as typeof import('rate-limiter-flexible');
  return Object.assign(new RateLimiterMemory(options), {
    get: rejectCall,
    penalty: rejectCall,
    set: rejectCall,
    block: rejectCall,
    delete: rejectCall,
  });
}

function rejectCall(): Promise<never> {
  return Promise.reject(new Error('The backend of the login throttle failed.'));
}
