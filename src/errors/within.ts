/**
 * Calls a function that may never answer, and waits at most `timeoutMs` milliseconds. A later answer is ignored.
 * @throws what the call throws or rejects with, or an Error named `TimeoutError`
 */
export async function within<Result>(timeoutMs: number, call: () => PromiseLike<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    const giveUp = () => {
      reject(Object.assign(new Error(`no answer within ${timeoutMs} ms`), { name: 'TimeoutError' }));
    };
    // Timers run before I/O is read. After a late turn of the event loop the answer may already be there.
    timer = setTimeout(() => setImmediate(giveUp), timeoutMs);
  });
  try {
    return await Promise.race([call(), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
