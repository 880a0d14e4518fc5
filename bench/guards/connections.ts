import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Prepared } from './requests.js';

/** For how long is sent, and what is expected. */
export interface Slice {
  /** Sent before the count begins, in milliseconds. */
  readonly settleMs: number;
  /** Counted, in milliseconds. */
  readonly ms: number;
  readonly status: number;
}

/** What a slice showed. */
export interface SliceResult {
  /** Answers counted. */
  readonly answered: number;
  /** In how many milliseconds: fewer than asked for when the requests ran out. */
  readonly elapsedMs: number;
  /** Answers in all, those before the count too. */
  readonly total: number;
  /** Answers that were not as expected, and how often. */
  readonly problems: Readonly<Record<string, number>>;
}

/** Gives the next request, or `undefined` when there are no more. */
export type NextRequest = () => Prepared | undefined;

/** Connections to one server that stay open, each with one request at a time. */
export class Connections {
  readonly #sockets: readonly Socket[];

  private constructor(sockets: readonly Socket[]) {
    this.#sockets = sockets;
  }

  static async open(port: number, count: number): Promise<Connections> {
    const sockets = Array.from({ length: count }, () =>
      createConnection({ host: '127.0.0.1', port, noDelay: true }).setEncoding('latin1'),
    );
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    // Whoever sends next hears of it by the closing.
    for (const socket of sockets) socket.on('error', () => undefined);
    return new Connections(sockets);
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Sends on every connection, each request as soon as the one before is answered. */
  async send(next: NextRequest, { settleMs, ms, status }: Slice): Promise<SliceResult> {
    const problems: Record<string, number> = {};
    const beginsAt = performance.now() + settleMs;
    let endsAt = beginsAt + ms;
    let answered = 0;
    let total = 0;

    const exchangeAll = (socket: Socket) =>
      new Promise<void>((resolve, reject) => {
        if (socket.destroyed) throw new Error(lossOf(socket));
        let received = '';
        let sent: Prepared | undefined;
        const fail = () => reject(new Error(lossOf(socket)));
        const sendNext = () => {
          sent = performance.now() < endsAt ? next() : undefined;
          if (sent !== undefined) {
            socket.write(sent.bytes);
            return;
          }
          endsAt = Math.min(endsAt, performance.now());
          socket.off('data', onData).off('close', fail);
          resolve();
        };
        const onData = (part: string) => {
          received += part;
          if (!isWhole(received)) return;
          const problem = problemOf(received, status, sent?.answer ?? '');
          if (problem !== undefined) problems[problem] = (problems[problem] ?? 0) + 1;
          received = '';
          total += 1;
          const now = performance.now();
          if (now >= beginsAt && now < endsAt) answered += 1;
          sendNext();
        };
        socket.on('data', onData).once('close', fail);
        sendNext();
      });

    await Promise.all(this.#sockets.map(exchangeAll));
    return { answered, elapsedMs: endsAt - beginsAt, total, problems };
  }
}

function lossOf(socket: Socket): string {
  return `a connection was lost: ${socket.errored?.message ?? 'closed'}`;
}

const CONTENT_LENGTH = /\r\ncontent-length: (\d+)\r\n/i;

/** All answers here have a Content-Length. */
function isWhole(received: string): boolean {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = CONTENT_LENGTH.exec(received)?.[1];
  return length === undefined || received.length >= end + 4 + Number(length);
}

function problemOf(received: string, status: number, answer: string): string | undefined {
  if (!received.startsWith(`HTTP/1.1 ${status} `)) return `expected ${status}: ${received.slice(0, 12)}`;
  if (status === 201 && !received.endsWith(answer)) return 'answered with another reference';
  return undefined;
}
