import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { ALLOWED_IN_BURST, AnswerCounter, type Answers } from './answers.js';
import { exchange, loginRequest } from './login-exchange.js';
import { mixedLogin } from './merchants.js';

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
    const bytes = requests.map((login) => loginRequest(login, 'close'));
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
}
