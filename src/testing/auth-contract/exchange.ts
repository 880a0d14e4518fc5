import { once } from 'node:events';
import http, {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
} from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { violation } from '../messages.js';

export interface Received {
  /** The method and the path of the request. */
  readonly request: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body; `undefined` when it is not JSON. */
  readonly json: unknown;
}

export interface Sending {
  /** Pairs, because a request can have a header twice. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** An object is sent as JSON, and a text as it is. */
  readonly body?: object | string;
  /** The time after which the whole answer has to be there. Default 30 s. */
  readonly limitMs?: number;
}

const LEAVE_OUT = 'Let the route answer. A stream is left out with its reason: name its route in leaveOut.';

/** Sends a request with `node:http`, because `fetch` cannot send a header twice. */
export async function exchange(baseUrl: string, method: string, path: string, sending: Sending): Promise<Received> {
  const { body, headers = [], limitMs = 30_000 } = sending;
  const text = typeof body === 'object' ? JSON.stringify(body) : (body ?? '');
  const { protocol, hostname, port } = new URL(baseUrl);
  const given: [string, string][] = [
    ['Host', new URL(baseUrl).host],
    ['Connection', 'close'],
  ];
  if (typeof body === 'object') given.push(['Content-Type', 'application/json']);
  if (body !== undefined) given.push(['Content-Length', String(Buffer.byteLength(text))]);
  const { request: open } = protocol === 'https:' ? https : http;
  const request = open({
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port,
    method,
    path,
    headers: objectOf([...given, ...headers]),
  });
  let stream: { destroy(error: Error): unknown } = request;
  // The query can hold a token.
  const late = `${method} ${path.replace(/\?.*/s, '')} had not ended its answer after ${limitMs / 1000} s. ${LEAVE_OUT}`;
  const timer = setTimeout(() => stream.destroy(violation(late)), limitMs);
  // An error of the response is one of the request too, where nobody listens any longer.
  request.on('error', () => undefined);
  try {
    request.end(text);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    stream = response;
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return receive(`${method} ${path}`, response, Buffer.concat(chunks));
  } finally {
    clearTimeout(timer);
  }
}

/** Tracers such as OpenTelemetry add headers to an object, and an array of headers would lose its own. */
function objectOf(headers: readonly (readonly [name: string, value: string])[]): OutgoingHttpHeaders {
  const object: Record<string, string | string[]> = {};
  for (const [name, value] of headers) object[name] = name in object ? [object[name] ?? [], value].flat() : value;
  return object;
}

function receive(request: string, { headers, statusCode: status = 0 }: IncomingMessage, bytes: Buffer): Received {
  const text = (headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString('utf8');
  return { request, status, headers, text, json: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Serves an application on loopback while `use` runs. */
export async function whileServed<Result>(
  app: RequestListener,
  use: (baseUrl: string) => Promise<Result>,
): Promise<Result> {
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}
