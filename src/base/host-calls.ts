// Not the global function, for the reason in base/next-phase.ts.
import { clearImmediate, setImmediate } from 'node:timers';

/** Splits a timeout into five timers, so that a blocked event loop uses up at most a fifth of the timeout. */
const PARTS = 5;

/** Calls a function, and turns a throw into a rejection. */
export async function callAsync<Result>(call: () => Result): Promise<Awaited<Result>> {
  return await call();
}

/** Calls a function of the host, and drops what it throws or rejects with, because that would end the process. */
export async function callDroppingErrors(call: () => unknown): Promise<void> {
  await callAsync(call).catch(() => undefined);
}

/** Calls `onTimeout` in `timeoutMs` milliseconds, unless the returned function stops it. */
export function startTimeout(timeoutMs: number, onTimeout: () => void): () => void {
  let timer: NodeJS.Timeout;
  let last: NodeJS.Immediate | undefined;
  const wait = (parts: number) => {
    // Timers run before I/O is read. `setImmediate` runs after it, so input that has arrived is still used.
    timer = setTimeout(() => (parts > 1 ? wait(parts - 1) : (last = setImmediate(onTimeout))), timeoutMs / PARTS);
  };
  wait(PARTS);
  return () => {
    clearTimeout(timer);
    clearImmediate(last);
  };
}

/**
 * Calls a function that may never answer, and waits `timeoutMs` milliseconds. A later answer is ignored.
 * @throws the error that the call throws or rejects with, or an Error named `TimeoutError`
 */
export function within<Result>(timeoutMs: number, call: () => PromiseLike<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const answer = Promise.resolve(call());
    const stop = startTimeout(timeoutMs, () => {
      reject(Object.assign(new Error(`no answer within ${timeoutMs} ms`), { name: 'TimeoutError' }));
    });
    // `then` is called once, because the `then` of a lazy promise starts its query.
    answer.finally(stop).then(resolve, reject);
  });
}
