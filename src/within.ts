/**
 * Calls something that may take for ever, for at most `timeoutMs` milliseconds. What it does later is ignored.
 * @throws what the call throws or rejects with, or an Error that says how long was waited
 */
export async function within<Result>(timeoutMs: number, call: () => Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    const giveUp = () => reject(new Error(`no answer within ${timeoutMs} ms`));
    // Timers run before what has arrived is read: after a late turn of the event loop the answer may already be there.
    timer = setTimeout(() => setImmediate(giveUp), timeoutMs);
  });
  try {
    return await Promise.race([call(), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
