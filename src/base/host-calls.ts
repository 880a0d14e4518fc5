// Not the global function: see base/next-phase.ts.
import { clearImmediate, setImmediate } from 'node:timers';

/** A timeout has parts, because a blocked event loop uses up at most one. */
const PARTS = 5;

/** Turns a throw into a rejection. */
export async function callAsync<Result>(call: () => Result): Promise<Awaited<Result>> {
  return await call();
}

/** A rejection that nobody handles would end the process. */
export async function callDroppingErrors(call: () => unknown): Promise<void> {
  await callAsync(call).catch(() => undefined);
}

/** The returned function stops it. */
export function startTimeout(timeoutMs: number, onTimeout: () => void): () => void {
  let timer: NodeJS.Timeout;
  let last: NodeJS.Immediate | undefined;
  const wait = (parts: number) => {
    // Timers run before I/O is read, and `setImmediate` after it: input that has arrived is still used.
    timer = setTimeout(() => (parts > 1 ? wait(parts - 1) : (last = setImmediate(onTimeout))), timeoutMs / PARTS);
  };
  wait(PARTS);
  return () => {
    clearTimeout(timer);
    clearImmediate(last);
  };
}

/**
 * A later answer is ignored.
 * @throws the error of the call, or an Error named `TimeoutError`
 */
export function within<Result>(timeoutMs: number, call: () => PromiseLike<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const answer = Promise.resolve(call());
    const stop = startTimeout(timeoutMs, () => {
      reject(Object.assign(new Error(`no answer within ${timeoutMs} ms`), { name: 'TimeoutError' }));
    });
    // Calls `then` once: the `then` of a lazy promise starts its query.
    answer.finally(stop).then(resolve, reject);
  });
}
