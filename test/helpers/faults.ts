import { inspect } from 'node:util';
import { expect } from 'chai';
import type { Answer } from './http.js';

/** The number of requests in flight at once. */
export const PARALLEL = 200;

/** Short, because a call that hangs waits this long. A call that answers at once is far faster. */
export const STORE_TIMEOUT_MS = 30;

const DOWN = new Error('connection refused');

/** The ways in which a method of a store can fail. Each leads to a 503. */
export const FAILURES: readonly (() => unknown)[] = [
  () => {
    throw DOWN;
  },
  () => Promise.reject(DOWN),
  () => Promise.reject(),
  () => Promise.reject('route'),
  () => new Promise(() => undefined),
  () => ({
    then() {
      throw DOWN;
    },
  }),
  () => ({ then: () => undefined }),
  () => new Promise((_resolve, reject) => setImmediate(() => reject(DOWN))),
];

/** Sends `count` requests at once. */
export function inParallel(send: (index: number) => Promise<Answer>, count = PARALLEL): Promise<Answer[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => send(index)));
}

/** Returns a function that calls `answers` in turn. After the last one it begins again. */
export function inTurn<Result>(answers: readonly (() => Result)[]): () => Result {
  let calls = 0;
  return () => {
    const answer = answers[calls++ % answers.length];
    if (answer === undefined) throw new Error('inTurn was given nothing');
    return answer();
  };
}

/** Asserts that there was no unhandled rejection and no uncaught exception. */
export async function expectNothingUnhandled(act: () => Promise<void>): Promise<void> {
  const unhandled: unknown[] = [];
  const listener = (reason: unknown) => unhandled.push(reason);
  process.prependListener('uncaughtException', listener);
  process.prependListener('unhandledRejection', listener);
  try {
    await act();
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.removeListener('uncaughtException', listener);
    process.removeListener('unhandledRejection', listener);
  }
  expect(unhandled, inspect(unhandled)).to.deep.equal([]);
}
