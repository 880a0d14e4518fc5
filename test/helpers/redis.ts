import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { RateLimiterRedis, type RateLimiterAbstract } from 'rate-limiter-flexible';
import { createClient } from 'redis';
import type { LimiterOptions } from '../../src/index.js';
import { withService } from './unavailable.js';

/** The Redis of TEST_REDIS_URL, with a prefix for the keys of this run. */
interface TestRedis {
  readonly host: string;
  readonly port: number;
  readonly keyPrefix: string;
}

export function withRedis(title: string, suite: (redis: TestRedis) => void): void {
  withService(title, 'a Redis', 'TEST_REDIS_URL', ({ hostname, port }) => {
    const redis = { host: hostname, port: Number(port === '' ? 6379 : port), keyPrefix: `ema-test-${randomUUID()}` };
    suite(redis);

    after('delete what was made', async () => {
      const client = new Redis({ host: redis.host, port: redis.port });
      const names: string[] = [];
      for await (const some of client.scanStream({ match: `${redis.keyPrefix}*` })) names.push(...(some as string[]));
      if (names.length > 0) await client.del(...names);
      await client.quit();
    });
  });
}

/** One connection to a Redis, through one of the two libraries. */
export interface Connection {
  /** Returns a limiter, as the option `limiter` of a host does. */
  limiter(options: LimiterOptions): RateLimiterAbstract;
  /** Resolves when the connection is open, even after a reconnect. */
  ready(): Promise<void>;
  isReady(): boolean;
  /** Resolves when the connection has no timer left for the frozen time of the next test. */
  close(): Promise<void>;
}

type Connect = (redis: TestRedis) => Connection;

const RETRY_MS = 5;

/** Connects with each library, with the settings of docs/operations.md. */
export const CLIENTS: readonly (readonly [library: string, connect: Connect])[] = [
  ['ioredis', connectIoredis],
  ['node-redis', connectNodeRedis],
];

function connectIoredis({ host, port, keyPrefix }: TestRedis): Connection {
  const storeClient = new Redis({ host, port, enableOfflineQueue: false, retryStrategy: () => RETRY_MS });
  storeClient.on('error', () => undefined);
  return {
    limiter: (options) =>
      new RateLimiterRedis({ ...options, keyPrefix: `${keyPrefix}:${options.keyPrefix}`, storeClient }),
    isReady: () => storeClient.status === 'ready',
    ready: () => readyAgain(storeClient, storeClient.status === 'ready'),
    close: () => disconnect(storeClient),
  };
}

function connectNodeRedis({ host, port, keyPrefix }: TestRedis): Connection {
  const storeClient = createClient({ socket: { host, port, reconnectStrategy: RETRY_MS }, disableOfflineQueue: true });
  storeClient.on('error', () => undefined);
  storeClient.connect().catch(() => undefined);
  return {
    limiter: (options) =>
      new RateLimiterRedis({
        ...options,
        keyPrefix: `${keyPrefix}:${options.keyPrefix}`,
        storeClient,
        useRedisPackage: true,
      }),
    isReady: () => storeClient.isReady,
    ready: () => readyAgain(storeClient, storeClient.isReady),
    close() {
      storeClient.destroy();
      return Promise.resolve();
    },
  };
}

async function disconnect(client: Redis): Promise<void> {
  const ended = new Promise((resolve) => client.once('end', resolve));
  const isClosed = ['close', 'reconnecting', 'end'].includes(client.status);
  client.disconnect();
  if (!isClosed) await ended;
}

function readyAgain(client: { once(event: 'ready', listener: () => void): unknown }, isReady: boolean): Promise<void> {
  return isReady ? Promise.resolve() : new Promise((resolve) => void client.once('ready', resolve));
}
