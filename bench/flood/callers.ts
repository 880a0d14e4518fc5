import { createConnection, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { ALLOWED_IN_FLOOD, AnswerCounter, type Answers } from './answers.js';
import { exchange, loginRequest } from './login-exchange.js';
import { MERCHANTS, rightLogin } from './merchants.js';

const WITHIN_MS = 30_000;
/** A caller that was not let in comes back after that, far sooner than `Retry-After` says. */
const BACK_AFTER_MS = 100;

/** A number of callers that log in with the right password, each again as soon as it is answered. */
export class Callers {
  readonly #port: number;
  readonly #requests = Array.from({ length: MERCHANTS }, (_, merchant) =>
    loginRequest(rightLogin(merchant), 'keep-alive'),
  );
  readonly #loops: Promise<void>[];
  #counter = new AnswerCounter(ALLOWED_IN_FLOOD);
  #sent = 0;
  #isOver = false;

  constructor(port: number, callers: number) {
    this.#port = port;
    this.#loops = Array.from({ length: callers }, () => this.#keepLoggingIn());
  }

  /** Begins to count anew. @returns what was counted until now */
  recount(): Answers {
    const { result } = this.#counter;
    this.#counter = new AnswerCounter(ALLOWED_IN_FLOOD);
    return result;
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#loops);
  }

  async #keepLoggingIn(): Promise<void> {
    let socket = this.#connect();
    while (!this.#isOver) {
      if (socket.destroyed) socket = this.#connect();
      if (!(await this.#logIn(socket))) await sleep(BACK_AFTER_MS);
    }
    socket.destroy();
  }

  #connect(): Socket {
    const socket = createConnection({ host: '127.0.0.1', port: this.#port, noDelay: true });
    // Whoever sends next hears of it by the closing.
    return socket.on('error', () => undefined);
  }

  async #logIn(socket: Socket): Promise<boolean> {
    const request = this.#requests[this.#sent++ % MERCHANTS] ?? '';
    const startedAt = performance.now();
    try {
      const answer = await exchange(socket, request, WITHIN_MS);
      this.#counter.answered('right password', answer, performance.now() - startedAt);
      return answer.status === 200;
    } catch (error) {
      this.#counter.failed(error);
      return false;
    }
  }
}
