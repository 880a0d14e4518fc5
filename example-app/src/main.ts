import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTokens, InMemoryUserStore } from 'express-merchant-auth';
import { createApp } from './app.js';
import { demoAccounts } from './demo-accounts.js';
import { readPort, readSecret } from './settings.js';
import { drainOnSignals } from './shutdown.js';
import { InMemoryTransactionStore } from './transactions/in-memory-transaction-store.js';

const NO_SECRET =
  'JWT_SECRET is not set: the tokens are signed with a random secret, and do not survive a restart of this process.';

async function start(): Promise<void> {
  const port = readPort(process.env);
  const secret = readSecret(process.env);
  const app = createApp({
    userStore: new InMemoryUserStore(demoAccounts),
    transactionStore: new InMemoryTransactionStore(),
    tokens: createTokens({ secret: secret ?? randomBytes(64) }),
    log: console.error,
  });
  const server = createServer(app);
  drainOnSignals(server);
  server.listen(port);
  await once(server, 'listening');
  if (secret === undefined) console.error(NO_SECRET);
  console.log(`Listening on http://localhost:${(server.address() as AddressInfo).port}`);
}

start().catch((error: unknown) => {
  console.error(`Cannot start: ${(error as Error).message}`);
  process.exitCode = 1;
});
