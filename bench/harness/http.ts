import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Serves on a free port of the loopback address. Connections stay open while other servers have their turns. */
export async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  server.keepAliveTimeout = server.headersTimeout = server.requestTimeout = 0;
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1_024 });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Returns the bytes of a POST with a JSON body. */
export function postBytes(path: string, body: object, token?: string): string {
  const json = JSON.stringify(body);
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Accept: application/json',
    'User-Agent: bench',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(json)}`,
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
  ];
  return `${head.join('\r\n')}\r\n\r\n${json}`;
}
