import { EventEmitter, once } from 'node:events';

/** Callers that go on calling while a test changes what is behind. */
export interface Load {
  /** Waits for so many calls to end. Rejects with what a call rejected with. */
  more(calls: number): Promise<void>;
  /** Lets the calls that are under way end. Rejects with what a call rejected with. */
  stop(): Promise<void>;
}

/** Starts so many callers, each of which makes one call after the other. */
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
  // Whoever asks next is told.
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
