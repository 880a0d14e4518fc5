import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

// Sends requests over bare sockets, because autocannon 8 would hide the difference between fast servers.

/** A request in bytes, and the response that has to come. */
export interface Prepared {
  readonly bytes: string;
  readonly status: number;
  /** The end of the response. */
  readonly end: string;
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

export async function openConnections(port: number, count: number): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () =>
    createConnection({ host: '127.0.0.1', port, noDelay: true }).setEncoding('latin1'),
  );
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  // `exchange` notices the close.
  for (const socket of sockets) socket.on('error', () => undefined);
  return sockets;
}

/**
 * Sends for so many milliseconds. Each connection sends when its last response is there.
 * @returns the number of responses
 * @throws Error when a response is wrong or a connection is lost
 */
export async function sendFor(ms: number, sockets: readonly Socket[], next: () => Prepared): Promise<number> {
  const endsAt = performance.now() + ms;
  let total = 0;
  const repeat = async (socket: Socket) => {
    while (performance.now() < endsAt) {
      await exchange(socket, next());
      total += 1;
    }
  };
  await Promise.all(sockets.map(repeat));
  return total;
}

function exchange(socket: Socket, { bytes, status, end }: Prepared): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = '';
    const settle = (problem?: string) => {
      socket.off('data', read).off('close', lose);
      if (problem === undefined) resolve();
      else reject(new Error(problem));
    };
    const read = (part: string) => {
      received += part;
      if (!isWhole(received)) return;
      const isRight = received.startsWith(`HTTP/1.1 ${status} `) && received.endsWith(end);
      settle(isRight ? undefined : `Expected ${status} and ${end}, but got: ${received}`);
    };
    const lose = () => {
      settle('A connection was lost.');
    };
    socket.on('data', read).on('close', lose).write(bytes, 'latin1');
  });
}

const CONTENT_LENGTH = /\r\ncontent-length: (\d+)\r\n/i;

/** All responses here have a Content-Length. */
function isWhole(received: string): boolean {
  const end = received.indexOf('\r\n\r\n');
  return end >= 0 && received.length >= end + 4 + Number(CONTENT_LENGTH.exec(received)?.[1] ?? 0);
}
