import { Agent } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { postJson } from '../harness/post-json.js';
import { ALLOWED_IN_FLOOD, AnswerCounter, type Answers } from './answers.js';
import { rightLogin } from './merchants.js';

const WITHIN_MS = 30_000;
/** A caller that was not let in comes back after that, far sooner than `Retry-After` says. */
const BACK_AFTER_MS = 100;

/** A number of callers that log in with the right password, each again as soon as it is answered. */
export class Callers {
  readonly #agent: Agent;
  readonly #loops: Promise<void>[];
  #counter = new AnswerCounter(ALLOWED_IN_FLOOD);
  #sent = 0;
  #isOver = false;

  constructor(port: number, callers: number) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: callers });
    this.#loops = Array.from({ length: callers }, () => this.#keepLoggingIn(port));
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
    this.#agent.destroy();
  }

  async #keepLoggingIn(port: number): Promise<void> {
    while (!this.#isOver) if (!(await this.#logIn(port))) await sleep(BACK_AFTER_MS);
  }

  async #logIn(port: number): Promise<boolean> {
    const { kind, body } = rightLogin(this.#sent++);
    const startedAt = performance.now();
    try {
      const answer = await postJson(this.#agent, { port, path: '/v1/login', body, withinMs: WITHIN_MS });
      this.#counter.answered(kind, answer, performance.now() - startedAt);
      return answer.status === 200;
    } catch (error) {
      this.#counter.failed(error);
      return false;
    }
  }
}
