import type { Express } from 'express';
import { createPasswords, createTokens, InMemoryUserStore } from 'express-merchant-auth';
import { type AppDependencies, createApp } from '../../example-app/src/app.js';
import { demoAccounts } from '../../example-app/src/demo-accounts.js';
import { type OpenDependencies, openDependencies } from '../../example-app/src/dependencies.js';
import { createLogger } from '../../example-app/src/operations/logger.js';
import { InMemoryTransactionStore } from '../../example-app/src/transactions/in-memory-transaction-store.js';
import { bearer } from '../helpers/http.js';

export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [fact: string]: unknown;
}

/** The app and what a test needs of it. supertest serves it for each request. */
export interface ServedApp {
  readonly app: Express;
  /** The log lines about failures. */
  readonly logged: readonly LogLine[];
  /** All log lines. */
  readonly lines: readonly LogLine[];
  /** The headers of awa@boutique.example, whose reference is BTQ-1001. */
  readonly awa: Readonly<Record<string, string>>;
  /** The headers of kofi@cantine.example, whose reference is CNT-1002. */
  readonly kofi: Readonly<Record<string, string>>;
}

const userStore = new InMemoryUserStore(demoAccounts);

export function serveApp(dependencies: Partial<AppDependencies> = {}): ServedApp {
  const tokens = createTokens();
  const lines: LogLine[] = [];
  const app = createApp({
    userStore,
    transactionStore: new InMemoryTransactionStore(),
    tokens,
    passwords: createPasswords(),
    logger: createLogger('info', { write: (line) => void lines.push(JSON.parse(line) as LogLine) }),
    health: { checks: {}, stopping: new AbortController().signal },
    demoAccounts,
    trustProxy: false,
    requestsPerMinute: 1_000,
    ...dependencies,
  });
  const headersOf = (id: string, referencl: string) => bearer(tokens.issue({ id, marchand: { referencl, statut: 1 } }));
  return {
    app,
    get logged() {
      return lines.filter(({ level }) => level === 'error');
    },
    lines,
    awa: headersOf('1', 'BTQ-1001'),
    kofi: headersOf('2', 'CNT-1002'),
  };
}

const opened = new Set<OpenDependencies>();

afterEach('close the services', async () => {
  for (const { close } of opened) await close();
  opened.clear();
});

/** Serves the app over the database and the Redis that the environment names, with the demo accounts. */
export async function serveAppOver(env: NodeJS.ProcessEnv): Promise<ServedApp> {
  const services = await openDependencies({ ...process.env, ...env, SEED_DEMO: '1' }, () => undefined);
  opened.add(services);
  return serveApp(services);
}
