import { inspect } from 'node:util';
import { expect } from 'chai';
import type { AuthError } from '../../src/index.js';
import { AWA, KOFI } from './accounts.js';
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

/** Accounts that a guard refuses, each with the error's `detail`. */
export const MALFORMED_ACCOUNTS: readonly (readonly [account: unknown, problem: string])[] = [
  ...[undefined, false, 0, '', 'Awa', 1n, Symbol('account')].map((account) => [account, 'no account object'] as const),
  ...[undefined, null, '', 1, {}].map((id) => broken('id', { id })),
  [[AWA], 'an account whose id is not'],
  ...[undefined, null, {}, { referencl: '' }, { referencl: 1001 }, { referencl: ['BTQ-1001'] }].map((marchand) =>
    broken('marchand.referencl', { marchand }),
  ),
  ...[undefined, null, 0, 1, 'false', Buffer.of(0)].map((disabled) => broken('disabled', { disabled })),
  ...['2026-01-01T00:00:00Z', 0, Date.now(), new Date(Number.NaN), {}].map((tokensValidAfter) =>
    broken('tokensValidAfter', { tokensValidAfter }),
  ),
];

/** Returns an account with a member that breaks the contract. */
export function broken(member: string, members: object): readonly [account: unknown, problem: string] {
  return [{ ...AWA, ...members }, `an account whose ${member} is not`];
}

/** Asserts that the `detail` of each error names the fault of its turn in `lies`. */
export function expectProblems(
  errors: readonly unknown[],
  method: string,
  lies: readonly (readonly unknown[])[],
): void {
  const seen = (errors as AuthError[]).map(({ code, detail }) => {
    expect(code).to.equal('malformed_account');
    expect(detail).to.match(new RegExp(`^UserStore\\.${method} returned `));
    const problem =
      /returned (no account object|an account whose \S+ is not|a passwordHash|an identifier|an account with another id)/;
    return problem.exec(detail)?.[1];
  });
  const expected = errors.map((_error, index) => lies[index % lies.length]?.[1]);
  expect(seen.sort()).to.deep.equal(expected.sort());
}

/** The account that a wrong store returns for another id. */
export const OTHER_ACCOUNT = KOFI;

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
