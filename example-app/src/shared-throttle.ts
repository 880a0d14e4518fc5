import { once } from 'node:events';
import { createLoginThrottle, type LoginThrottle } from 'express-merchant-auth';
import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { messageOf } from './message-of.js';

/** Limits the wait for Redis at start, in milliseconds. While Redis is away, each process counts in its own memory. */
const CONNECTION_TIMEOUT_MS = 2_000;

/** Limits the wait for an answer of Redis, in milliseconds, before ioredis opens a new connection. ioredis has no default. */
const SILENCE_MS = 2_000;

export interface SharedThrottle {
  readonly throttle: LoginThrottle;
  /** Resolves when Redis has answered. */
  readonly check: () => Promise<unknown>;
  close(): void;
}

/** Connects to Redis and creates a throttle whose counters all processes share. */
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

/** Logs one line for each outage, not one for each attempt to reconnect. */
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
