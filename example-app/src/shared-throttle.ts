import { once } from 'node:events';
import { createLoginThrottle, type LoginThrottle } from 'express-merchant-auth';
import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { messageOf } from './message-of.js';

/** How long the start waits for Redis, in milliseconds. Without it each process counts in its own memory. */
const CONNECTION_TIMEOUT_MS = 2_000;

/** How long a connection may owe an answer, in milliseconds, before another is opened. ioredis would wait for ever. */
const SILENCE_MS = 2_000;

export interface SharedThrottle {
  readonly throttle: LoginThrottle;
  /** Resolves when Redis has answered. */
  readonly check: () => Promise<unknown>;
  close(): void;
}

/** The throttle whose counters lie in Redis, for processes to share. */
export async function openSharedThrottle(url: string, log: (text: string) => void): Promise<SharedThrottle> {
  const storeClient = new Redis(url, {
    enableOfflineQueue: false,
    connectTimeout: CONNECTION_TIMEOUT_MS,
    socketTimeout: SILENCE_MS,
  });
  logOutages(storeClient, log);
  await once(storeClient, 'ready', { signal: AbortSignal.timeout(CONNECTION_TIMEOUT_MS) }).catch(() => undefined);
  return {
    throttle: createLoginThrottle({ limiter: (options) => new RateLimiterRedis({ ...options, storeClient }) }),
    check: () => storeClient.ping(),
    close: () => storeClient.disconnect(),
  };
}

/** One line for an outage, not one for each time that the client tries again. */
function logOutages(redis: Redis, log: (text: string) => void): void {
  let isAway = false;
  redis.on('error', (error) => {
    if (!isAway) log(`Redis: ${messageOf(error)}`);
    isAway = true;
  });
  redis.on('ready', () => {
    isAway = false;
  });
}
