import { setTimeout as sleep } from 'node:timers/promises';
import { AnswerCounter, type Answers } from './answers.js';
import { connect, logIn } from './login-exchange.js';
import { type Login, LOGINS, type Pattern } from './merchants.js';

/** A caller that was refused comes back after this time, far sooner than `Retry-After` says. */
const BACK_AFTER_MS = 100;

/** A number of callers. Each has one login, and sends it again as soon as it is answered. */
export class Callers {
  readonly #port: number;
  readonly #loops: Promise<void>[];
  #counter = new AnswerCounter();
  #isOver = false;

  constructor(port: number, callers: number, pattern: Pattern) {
    this.#port = port;
    this.#loops = Array.from({ length: callers }, (_, caller) => this.#keepLoggingIn(LOGINS[pattern](caller)));
  }

  /** Begins to count anew. Returns the answers until now. */
  recount(): Answers {
    const { result } = this.#counter;
    this.#counter = new AnswerCounter();
    return result;
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#loops);
  }

  async #keepLoggingIn(login: Login): Promise<void> {
    let socket = connect(this.#port);
    while (!this.#isOver) {
      if (socket.destroyed) socket = connect(this.#port);
      const outcome = await logIn(socket, login);
      this.#counter.add(outcome);
      const isLoggedIn = !(outcome.answer instanceof Error) && outcome.answer.status === 200;
      if (!isLoggedIn) await sleep(BACK_AFTER_MS);
    }
    socket.destroy();
  }
}
