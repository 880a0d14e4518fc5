import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Problems } from './rows.js';
import { quantile } from './statistics.js';

// Sends requests over bare sockets, because autocannon 8 would hide the difference between fast servers. Against an empty
// server it sends 38,000 requests per second, where this file sends 63,000. Its latencies are whole milliseconds.

/** A request in bytes, and the response that has to come. */
export interface Prepared {
  readonly bytes: string;
  readonly status: number;
  /** The end of the response. */
  readonly end: string;
}

/** A slice of one server. Times are in milliseconds. */
export interface Slice {
  /** The number of connections, of those that are open. */
  readonly connections: number;
  /** The time before the count begins. */
  readonly settleMs: number;
  /** The time that counts. */
  readonly ms: number;
  /** Sends at this rate (open loop). Default: each connection sends when its response is there (closed loop). */
  readonly perSecond?: number;
}

export interface SliceResult {
  /** Responses within the time that counts. */
  readonly answered: number;
  /** The time that counted. It is shorter than asked for when the requests ran out. */
  readonly elapsedMs: number;
  /** All responses. */
  readonly total: number;
  /** From request to response. In an open loop the wait for a free connection counts too. */
  readonly p99: number;
  readonly problems: Problems;
}

export async function openConnections(port: number, count: number): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () =>
    createConnection({ host: '127.0.0.1', port, noDelay: true }).setEncoding('latin1'),
  );
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  // `sendOver` notices the close.
  for (const socket of sockets) socket.on('error', () => undefined);
  return sockets;
}

/**
 * Sends to one server. Each connection carries one request at a time.
 * @param next returns the next request, or `undefined` when there are no more
 * @throws Error when a connection is lost
 */
export function sendOver(
  open: readonly Socket[],
  next: () => Prepared | undefined,
  { connections, settleMs, ms, perSecond }: Slice,
): Promise<SliceResult> {
  const sockets = open.slice(0, connections);
  const idle = [...sockets];
  const waiting: (Prepared & { readonly since: number })[] = [];
  const latencies: number[] = [];
  const problems: Problems = {};
  const startedAt = performance.now();
  const beginsAt = startedAt + settleMs;
  let endsAt = beginsAt + ms;
  let [arrived, ticked, total] = [0, 0, 0];
  // In an open loop the last tick adds the last requests.
  const isOver = () => (perSecond === undefined ? performance.now() : ticked) >= endsAt;

  return new Promise((resolve, reject) => {
    const stop = () => {
      clearInterval(timer);
      for (const socket of sockets) socket.off('close', fail);
    };
    const fail = () => {
      stop();
      reject(new Error('a connection was lost'));
    };
    const arrive = () => {
      const since = performance.now();
      const request = perSecond !== undefined || since < endsAt ? next() : undefined;
      if (request === undefined) endsAt = Math.min(endsAt, since);
      else waiting.push({ ...request, since });
      return request !== undefined;
    };
    const pump = () => {
      for (const socket of idle.splice(0)) {
        if (perSecond === undefined) arrive();
        const request = waiting.shift();
        if (request === undefined) idle.push(socket);
        else exchange(socket, request);
      }
      if (idle.length < sockets.length || waiting.length > 0 || !isOver()) return;
      stop();
      const p99 = quantile(latencies, 0.99);
      resolve({ answered: latencies.length, elapsedMs: endsAt - beginsAt, total, p99, problems });
    };
    const exchange = (socket: Socket, request: (typeof waiting)[number]) => {
      let received = '';
      const read = (part: string) => {
        received += part;
        if (!isWhole(received)) return;
        socket.off('data', read);
        const problem = problemOf(request, received);
        if (problem !== undefined) problems[problem] = (problems[problem] ?? 0) + 1;
        total += 1;
        const now = performance.now();
        if (now >= beginsAt && now < endsAt) latencies.push(now - request.since);
        idle.push(socket);
        pump();
      };
      socket.on('data', read).write(request.bytes, 'latin1');
    };
    const tick = (rate: number) => {
      ticked = performance.now();
      const due = ((Math.min(ticked, endsAt) - startedAt) / 1_000) * rate;
      while (arrived + 1 <= due && arrive()) arrived += 1;
      pump();
    };
    const timer = perSecond === undefined ? undefined : setInterval(tick, 1, perSecond);
    for (const socket of sockets) socket.on('close', fail);
    if (sockets.some(({ destroyed }) => destroyed)) fail();
    else pump();
  });
}

const CONTENT_LENGTH = /\r\ncontent-length: (\d+)\r\n/i;

/** All responses here have a Content-Length. */
function isWhole(received: string): boolean {
  const end = received.indexOf('\r\n\r\n');
  return end >= 0 && received.length >= end + 4 + Number(CONTENT_LENGTH.exec(received)?.[1] ?? 0);
}

function problemOf({ status, end }: Prepared, received: string): string | undefined {
  if (!received.startsWith(`HTTP/1.1 ${status} `)) return `expected ${status}: ${received.slice(0, 12)}`;
  return received.endsWith(end) ? undefined : 'another response body';
}
