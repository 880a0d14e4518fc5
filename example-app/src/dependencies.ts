import { AsyncResource } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { createTokens, type Tokens } from 'express-merchant-auth';
import type { AppDependencies } from './app.js';
import { demoAccounts } from './demo-accounts.js';
import type { Check } from './operations/health.js';
import { readDatabase, readKeys, readRedisUrl, readSecret } from './settings.js';
import { openSharedThrottle } from './shared-throttle.js';
import { inMemoryStores, openStores } from './stores/open-stores.js';

type Services = Pick<AppDependencies, 'userStore' | 'transactionStore' | 'tokens' | 'throttle' | 'demoAccounts'>;

/** The services that the environment names. */
export interface OpenDependencies extends Services {
  /** One check for each service that can fail, by the name of the service. */
  readonly checks: Readonly<Record<string, Check>>;
  /** Closes the services. Call it after the last answer was sent. */
  readonly close: () => Promise<void>;
}

/** Reads all settings first and then opens the services, so that a wrong setting leaves nothing open. */
export async function openDependencies(
  env: NodeJS.ProcessEnv,
  logLine: (text: string) => void,
): Promise<OpenDependencies> {
  // A connection that is lost has the context of the request that opened it, and the line would name that request.
  const log = AsyncResource.bind(logLine);
  const database = readDatabase(env);
  const redisUrl = readRedisUrl(env);
  const tokens = readTokens(env);
  const stores = database === undefined ? inMemoryStores() : await openStores(database, log);
  const shared = redisUrl === undefined ? undefined : await openSharedThrottle(redisUrl, log);
  return {
    userStore: stores.userStore,
    transactionStore: stores.transactionStore,
    tokens,
    demoAccounts: database === undefined || database.seedDemo ? demoAccounts : [],
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
