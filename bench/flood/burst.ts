import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Answer } from '../harness/post-json.js';
import { ALLOWED_IN_BURST, AnswerCounter, type Answers } from './answers.js';
import { type Login, mixedLogin } from './merchants.js';

/** Fewer than the queue of a listening socket holds (511 in Node.js), so that none is dropped and tried a second later. */
const CONNECTING_AT_A_TIME = 256;

/** As many connections as there are logins to offer at once, each for one. */
export class Burst {
  readonly #port: number;
  readonly #sockets: Socket[] = [];

  constructor(port: number) {
    this.#port = port;
  }

  /** Opens the connections, as fast as the system takes them. @returns the milliseconds that it took */
  async connect(logins: number): Promise<number> {
    const startedAt = performance.now();
    const connectSome = async () => {
      while (this.#sockets.length < logins) {
        const socket = createConnection({ host: '127.0.0.1', port: this.#port, noDelay: true });
        this.#sockets.push(socket);
        // Whether it is open is seen when something is to be sent.
        await once(socket, 'connect').catch(() => undefined);
        socket.on('error', () => undefined);
      }
    };
    await Promise.all(Array.from({ length: CONNECTING_AT_A_TIME }, connectSome));
    return performance.now() - startedAt;
  }

  /** Sends a login on every connection, all at once, and waits for the answers. */
  async offer(withinMs: number): Promise<Answers> {
    const counter = new AnswerCounter(ALLOWED_IN_BURST);
    const requests = this.#sockets.map((_, number) => mixedLogin(number));
    const bytes = requests.map((login) => this.#bytesOf(login));
    const startedAt = performance.now();
    const ends = this.#sockets.map(async (socket, number) => {
      const { kind } = requests[number] ?? mixedLogin(number);
      try {
        const answer = await exchange(socket, bytes[number] ?? '', withinMs);
        counter.answered(kind, answer, performance.now() - startedAt);
      } catch (error) {
        counter.failed(error);
      }
    });
    await Promise.all(ends);
    return counter.result;
  }

  #bytesOf({ body }: Login): string {
    const json = JSON.stringify(body);
    const head = [
      'POST /v1/login HTTP/1.1',
      `Host: 127.0.0.1:${this.#port}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(json)}`,
      'Connection: close',
    ];
    return `${head.join('\r\n')}\r\n\r\n${json}`;
  }
}

/** Sends one request and reads until the server closes. */
function exchange(socket: Socket, request: string, withinMs: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (socket.destroyed) {
      reject(new Error(`not connected: ${socket.errored?.message ?? 'closed'}`));
      return;
    }
    let received = '';
    const timer = setTimeout(() => socket.destroy(new Error(`no answer within ${withinMs} ms`)), withinMs);
    socket.setEncoding('utf8');
    socket.on('data', (part: string) => (received += part));
    socket.once('error', reject);
    socket.once('close', () => {
      clearTimeout(timer);
      const answer = parseAnswer(received);
      if (answer === undefined) reject(new Error('closed without a whole answer'));
      else resolve(answer);
    });
    socket.write(request);
  });
}

/** An answer with a Content-Length, which all of the package's have; `undefined` unless it is whole. */
function parseAnswer(received: string): Answer | undefined {
  const end = received.indexOf('\r\n\r\n');
  const head = received.slice(0, Math.max(0, end));
  const text = received.slice(end + 4);
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1];
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (status === undefined || Number(length) !== Buffer.byteLength(text)) return undefined;
  return { status: Number(status), contentType: /\r\ncontent-type: ([^\r]+)/i.exec(head)?.[1] ?? '', text };
}
