// Not the global function, for the reason in http/next-phase.ts.
import { setImmediate } from 'node:timers';

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

/**
 * Calls a function that may never answer, and waits `timeoutMs` milliseconds. A later answer is ignored.
 * @throws the error that the call throws or rejects with, or an Error named `TimeoutError`
 */
export function within<Result>(timeoutMs: number, call: () => PromiseLike<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const answer = Promise.resolve(call());
    let partsLeft = PARTS;
    let timer: NodeJS.Timeout;
    const giveUp = () => {
      reject(Object.assign(new Error(`no answer within ${timeoutMs} ms`), { name: 'TimeoutError' }));
    };
    const wait = () => {
      partsLeft -= 1;
      // Timers run before I/O is read. `setImmediate` runs after it, so an answer that has arrived is still used.
      timer = setTimeout(() => (partsLeft > 0 ? wait() : setImmediate(giveUp)), timeoutMs / PARTS);
    };
    wait();
    // `then` is called once, because the `then` of a lazy promise starts its query.
    answer.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}
