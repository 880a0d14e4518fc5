import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from './app.js';
import { openDependencies } from './dependencies.js';
import { readKeys, readPort, readSecret } from './settings.js';
import { drainOnSignals } from './shutdown.js';

const NO_SECRET =
  'JWT_SECRET is not set: the tokens are signed with a random secret, and do not survive a restart of this process.';

async function start(): Promise<void> {
  const port = readPort(process.env);
  const dependencies = await openDependencies(process.env, console.error);
  const server = createServer(createApp(dependencies));
  drainOnSignals(server, dependencies.close);
  server.listen(port);
  await once(server, 'listening');
  if (readSecret(process.env) === undefined && readKeys(process.env) === undefined) console.error(NO_SECRET);
  console.log(`Listening on http://localhost:${(server.address() as AddressInfo).port}`);
}

start().catch((error: unknown) => {
  console.error(`Cannot start: ${(error as Error).message}`);
  // Not exitCode alone: what was opened before would keep the process alive.
  process.exit(1);
});
