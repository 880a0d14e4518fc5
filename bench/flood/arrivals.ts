import { startOpenLoop } from '../harness/loops.js';
import { AnswerCounter, type Answers } from './answers.js';
import { connect, logIn } from './login-exchange.js';
import { LOGINS, type Pattern } from './merchants.js';

/** Logins that arrive at a fixed rate, each on a new connection. */
export interface Arrivals {
  /** Sends no more, and waits for the answers. */
  end(): Promise<Answers>;
}

export function startArrivals(port: number, perSecond: number, pattern: Pattern): Arrivals {
  const counter = new AnswerCounter();
  let number = 0;
  const loop = startOpenLoop(perSecond, async () => {
    const socket = connect(port);
    counter.add(await logIn(socket, LOGINS[pattern](number++)));
    socket.destroy();
  });
  return {
    async end() {
      await loop.stop();
      return counter.result;
    },
  };
}
