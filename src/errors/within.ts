/**
 * The parts in which the time is counted, each in a turn of the event loop after the one before. So work that keeps the
 * event loop from reading an answer lengthens the wait.
 */
const PARTS = 5;

/**
 * Calls a function that may never answer, and waits `timeoutMs` milliseconds. A later answer is ignored.
 * @throws what the call throws or rejects with, or an Error named `TimeoutError`
 */
export async function within<Result>(timeoutMs: number, call: () => PromiseLike<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    const giveUp = () => {
      reject(Object.assign(new Error(`no answer within ${timeoutMs} ms`), { name: 'TimeoutError' }));
    };
    const wait = (partsLeft: number) => {
      // Timers run before I/O is read. After the last part the answer may already be there.
      timer = setTimeout(() => (partsLeft > 1 ? wait(partsLeft - 1) : setImmediate(giveUp)), timeoutMs / PARTS);
    };
    wait(PARTS);
  });
  try {
    return await Promise.race([call(), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
