import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Serves on a free port of the loopback address. Connections stay open while other servers have their turns. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.keepAliveTimeout = server.headersTimeout = server.requestTimeout = 0;
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1_024 });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Serves as the program of this process, which `startServer` started. */
export async function serveAsProgram(listener: RequestListener): Promise<void> {
  console.log(`Listening on ${await serve(listener)}`);
}

/** Returns what `startServer` gave to this process. */
export function readSetup(): unknown {
  return JSON.parse(process.argv[2] ?? '{}');
}
