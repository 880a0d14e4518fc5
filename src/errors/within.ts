import { asError } from './errors/as-error.js';

/** How many turns of the queue of promises an answer may take before a timer is set, which costs more than they do. */
const TURNS_WITHOUT_TIMER = 4;

const now = Promise.resolve();

/**
 * Calls something that may take for ever, for at most `timeoutMs` milliseconds. What it does later is ignored.
 * @param failure makes an error of what the call throws or rejects with, or of one that says how long was waited
 */
export function within<Result>(
  timeoutMs: number,
  call: () => PromiseLike<Result>,
  failure: (reason: unknown) => Error = asError,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    let isOver = false;
    const end = () => {
      isOver = true;
      clearTimeout(timer);
    };
    const fail = (reason: unknown) => {
      end();
      reject(failure(reason));
    };
    const giveUp = () => fail(new Error(`no answer within ${timeoutMs} ms`));
    const settle = (result: Result | PromiseLike<Result>): void => {
      try {
        // A promise of another making can answer with one more, for which nobody would wait but the caller.
        if (isThenable(result)) {
          Promise.resolve(result).then(settle, fail);
          return;
        }
        end();
        resolve(result);
      } catch (reason) {
        fail(reason);
      }
    };
    try {
      Promise.resolve(call()).then(settle, fail);
    } catch (reason) {
      fail(reason);
    }

    const wait = (turns: number): void => {
      if (isOver) return;
      if (turns > 0) void now.then(() => wait(turns - 1));
      // Timers run before what has arrived is read: after a late turn of the event loop the answer may already be there.
      else timer = setTimeout(() => setImmediate(giveUp), timeoutMs);
    };
    wait(TURNS_WITHOUT_TIMER);
  });
}

/** Whether a value is a promise, of whatever making. @throws what its `then` throws when it is read */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}
