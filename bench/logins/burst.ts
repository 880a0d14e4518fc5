import { fork } from 'node:child_process';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createLoginRouter, InMemoryUserStore } from 'express-merchant-auth';
import { openConnections, postBytes } from '../harness/connections.js';

// Sends 10,000 different logins at once, and prints the answers and the longest time for which the event loop of the
// server stood still. Start it with `node bench/dist/logins/burst.js`.

const CONNECTIONS = 1_000;
const LOGINS_OF_EACH = 10;
const RESOLUTION_MS = 10;

const isServer = process.send !== undefined;

async function serve(): Promise<void> {
  const store = new InMemoryUserStore();
  const server = createServer(express().use(createLoginRouter(store))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  process.on('message', () => process.send?.(delay.max / 1e6));
  process.send?.((server.address() as AddressInfo).port);
  delay.enable();
}

async function burst(): Promise<void> {
  const server = fork(__filename, { env: { ...process.env, JWT_SECRET: 'a secret for this measurement alone' } });
  const [port] = (await once(server, 'message')) as [number];
  const sockets = await openConnections(port, CONNECTIONS);
  const answers = sockets.map(async (socket, connection) => {
    const login = (number: number) => ({
      email: `shop-${connection}-${number}@mall.example`,
      password: 'not the password',
    });
    const requests = Array.from({ length: LOGINS_OF_EACH }, (_, number) => postBytes('/login', login(number)));
    let received = '';
    socket.on('data', (text: string) => (received += text));
    socket.write(requests.join(''));
    const statuses = () => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = '']) => status);
    while (statuses().length < LOGINS_OF_EACH) await once(socket, 'data');
    return statuses();
  });
  const startedAt = performance.now();
  const statuses = (await Promise.all(answers)).flat();
  const seconds = (performance.now() - startedAt) / 1_000;
  server.send('the longest delay');
  const [ms] = (await once(server, 'message')) as [number];
  const counts = new Map<string, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  console.log(`${statuses.length} logins in ${seconds.toFixed(1)} s:`, Object.fromEntries(counts));
  console.log(`The event loop stood still for at most ${Math.round(ms)} ms.`);
  server.kill();
  for (const socket of sockets) socket.destroy();
}

void (isServer ? serve() : burst());
