import { once } from 'node:events';
import http, { type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body. Throws if the body is not JSON. */
  readonly json: unknown;
}

export interface Sending {
  /** Use pairs to send a header twice. */
  readonly headers?: Readonly<Record<string, string>> | readonly (readonly [string, string])[];
  /** An object is sent as JSON. Text and bytes are sent unchanged, without a media type unless `headers` has one. */
  readonly body?: unknown;
  /** Send the body without a Content-Length. */
  readonly chunked?: boolean;
}

/**
 * A client for a server on loopback. It sends what superagent cannot: Content-Type or Host twice, half a body, an absolute
 * target, or characters that `URL` rewrites. With its `port` a test pipelines requests or chooses the time of each byte.
 * Send all else with supertest.
 */
export interface Client {
  readonly port: number;
  send(method: string, path: string, sending?: Sending): Promise<Answer>;
}

const servers = new Set<http.Server>();

export function serve(listener: unknown): Promise<Client> {
  // Keeps idle connections, because a client on a busy machine can send just when the server closes one.
  return start(http.createServer({ keepAliveTimeout: 0 }, listener as RequestListener));
}

export async function start(server: http.Server): Promise<Client> {
  servers.add(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return clientOf(port);
}

export function clientOf(port: number): Client {
  return { port, send: (method, path, sending = {}) => send(port, method, path, sending) };
}

afterEach('stop the servers', () => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
  servers.clear();
});

async function send(port: number, method: string, path: string, sending: Sending): Promise<Answer> {
  const { body, chunked = false } = sending;
  const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
  const bytes = isRaw ? Buffer.from(body ?? '') : Buffer.from(JSON.stringify(body));
  const given = sending.headers instanceof Array ? sending.headers : Object.entries(sending.headers ?? {});
  const headers = [['Host', 'localhost'], ['Connection', 'close'], ...given] as [string, string][];
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  if (!isRaw && !names.has('content-type')) headers.push(['Content-Type', 'application/json']);
  if (chunked) headers.push(['Transfer-Encoding', 'chunked']);
  else if ((body !== undefined || method === 'POST') && !names.has('content-length'))
    headers.push(['Content-Length', String(bytes.length)]);

  const request = http.request({ port, host: '127.0.0.1', method, path, headers: headers.flat() });
  request.end(bytes.length > 0 ? bytes : undefined);
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text,
    get json() {
      return JSON.parse(text) as unknown;
    },
  };
}

export function bearer(token: string): { readonly Authorization: string } {
  return { Authorization: `Bearer ${token}` };
}
