import { randomBytes } from 'node:crypto';
import { createTokens, type Tokens } from 'express-merchant-auth';
import type { AppDependencies } from './app.js';
import type { Check } from './operations/health.js';
import { readDatabase, readKeys, readRedisUrl, readSecret } from './settings.js';
import { openSharedThrottle } from './shared-throttle.js';
import { inMemoryStores, openStores } from './stores/open-stores.js';

type Services = Pick<AppDependencies, 'userStore' | 'transactionStore' | 'tokens' | 'throttle'>;

/** The services that the environment names, and how to close them when the last answer is out. */
export interface OpenDependencies extends Services {
  /** Asks each service that can be away, by its name. */
  readonly checks: Readonly<Record<string, Check>>;
  readonly close: () => Promise<void>;
}

/** Opens what the environment names: all settings are read before anything is opened. */
export async function openDependencies(env: NodeJS.ProcessEnv, log: (text: string) => void): Promise<OpenDependencies> {
  const database = readDatabase(env);
  const redisUrl = readRedisUrl(env);
  const tokens = readTokens(env);
  const stores = database === undefined ? inMemoryStores() : await openStores(database, log);
  const shared = redisUrl === undefined ? undefined : await openSharedThrottle(redisUrl, log);
  return {
    userStore: stores.userStore,
    transactionStore: stores.transactionStore,
    tokens,
    ...(shared && { throttle: shared.throttle }),
    checks: { ...(stores.check && { database: stores.check }), ...(shared && { redis: shared.check }) },
    async close() {
      shared?.close();
      await stores.close();
    },
  };
}

function readTokens(env: NodeJS.ProcessEnv): Tokens {
  const keys = readKeys(env);
  return createTokens(keys === undefined ? { secret: readSecret(env) ?? randomBytes(64) } : { keys });
}
