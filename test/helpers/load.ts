import { EventEmitter, once } from 'node:events';

/** Callers that send requests while a test changes the service. */
export interface Load {
  /** Waits until this many calls have ended. Rejects if a call rejects. */
  more(calls: number): Promise<void>;
  /** Waits until the running calls have ended. Rejects if a call rejects. */
  stop(): Promise<void>;
}

/** Starts callers. Each makes one call after the other. */
export function startLoad(callers: number, call: (turn: number) => Promise<void>): Load {
  const events = new EventEmitter();
  let turn = 0;
  let ended = 0;
  let isStopped = false;

  async function goOn(): Promise<void> {
    while (!isStopped) {
      await call(turn++);
      ended++;
      events.emit('end');
    }
  }

  const all = Promise.all(Array.from({ length: callers }, goOn));
  // The next `more` or `stop` rejects with the error.
  all.catch(() => undefined);

  return {
    async more(calls) {
      const goal = ended + calls;
      while (ended < goal) await Promise.race([once(events, 'end'), all]);
    },
    async stop() {
      isStopped = true;
      await all;
    },
  };
}
