import { once } from 'node:events';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { AnswerCounter, type Answers } from './answers.js';
import { connect, logIn } from './login-exchange.js';
import { LOGINS, type Pattern } from './merchants.js';

/** Fewer than the queue of a listening socket holds (511 in Node.js). A dropped connection is tried a second later. */
const CONNECTING_AT_A_TIME = 256;

/** The answers of a burst. */
export interface BurstAnswers extends Answers {
  /** The time from the first login to the last answer, in milliseconds. */
  readonly lastMs: number;
}

/** Connections for logins that are sent at once. */
export class Burst {
  readonly #port: number;
  readonly #sockets: Socket[] = [];

  constructor(port: number) {
    this.#port = port;
  }

  /** Opens the connections, as fast as the system takes them. Returns the time that it took, in milliseconds. */
  async connect(logins: number): Promise<number> {
    const startedAt = performance.now();
    const connectSome = async () => {
      while (this.#sockets.length < logins) {
        const socket = connect(this.#port);
        this.#sockets.push(socket);
        await once(socket, 'connect').catch(() => undefined);
      }
    };
    await Promise.all(Array.from({ length: CONNECTING_AT_A_TIME }, connectSome));
    return performance.now() - startedAt;
  }

  /** Sends a login on every connection at once, and waits for the answers. */
  async offer(pattern: Pattern): Promise<BurstAnswers> {
    const counter = new AnswerCounter();
    const offers = this.#sockets.map((socket, number) => ({ socket, login: LOGINS[pattern](number) }));
    const startedAt = performance.now();
    await Promise.all(offers.map(async ({ socket, login }) => counter.add(await logIn(socket, login))));
    return { ...counter.result, lastMs: performance.now() - startedAt };
  }

  end(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
