import { expect } from 'chai';
import { callStore, storeTimeout } from '../../src/store/call-store.js';
import type { AuthError } from '../../src/errors/auth-error.js';
import { answerOf, STORE_UNAVAILABLE } from '../helpers/answers.js';
import { countTimers } from '../helpers/timers.js';
import { settle } from '../helpers/until.js';
import { expectNothingUnhandled } from '../helpers/diagnostics.js';
import { expectAuthError, expectTypeError, rejectionOf } from '../helpers/thrown.js';

/** Long enough that only a call that hangs reaches it. */
const LONG = 60_000;
const never = new Promise<never>(() => undefined);

/** Returns the 503 of a failing call. The message of the driver is only in its `cause`. */
async function failureOf(call: () => unknown, timeoutMs = LONG): Promise<AuthError> {
  const error = await rejectionOf(callStore('findById', timeoutMs, call as () => Promise<unknown>));
  const failure = expectAuthError(error, STORE_UNAVAILABLE);
  expect(failure.status).to.equal(503);
  const { expected, headers } = answerOf(STORE_UNAVAILABLE, 5);
  expect(failure.headers).to.deep.equal(headers);
  expect(JSON.stringify(failure)).to.equal(JSON.stringify({ status: 'Error', success: false, ...expected }));
  expect(failure.detail).to.equal('UserStore.findById failed.');
  return failure;
}

describe('callStore', () => {
  it('resolves to the result of the store, whatever it is, even if it is not a promise', async () => {
    const account = { id: '1' };
    for (const value of [account, null, undefined, false, new Error('returned, not thrown')]) {
      expect(await callStore('findById', LONG, () => Promise.resolve(value))).to.equal(value);
      expect(await callStore('findById', LONG, (() => value) as never)).to.equal(value);
    }
  });

  it('turns an error of the store into a 503, and keeps it as the cause', async () => {
    const cause = new Error('connection refused');
    const throwing = () => {
      throw cause;
    };
    for (const call of [throwing, () => Promise.reject(cause), () => ({ then: throwing })]) {
      expect((await failureOf(call)).cause).to.equal(cause);
    }
    const wrapped = (await failureOf(() => Promise.reject('route'))).cause;
    expect(wrapped).to.be.instanceOf(Error).with.property('cause', 'route');
  });

  it('rejects with a 503 when the store does not answer in time, even with a promise in a thenable', async () => {
    const query = { then: (resolve: (value: unknown) => void) => resolve(never) };
    for (const answer of [never, query, { then: () => undefined }]) {
      const { cause } = await failureOf(() => answer, 2);
      expect(cause).to.be.instanceOf(Error).and.include({ name: 'TimeoutError', message: 'no answer within 2 ms' });
    }
  });

  it('ignores a late answer', () =>
    expectNothingUnhandled(async () => {
      let rejectLate: ((reason: Error) => void) | undefined;
      const late = new Promise<never>((_resolve, reject) => (rejectLate = reject));
      await failureOf(() => late, 1);
      rejectLate?.(new Error('too late'));
    }));

  it('leaves no timer behind', async () => {
    const timers = await countTimers();
    let answer: (value: null) => void = () => undefined;
    for (const answers of [true, false]) {
      const pending = callStore('findById', LONG, () => {
        return new Promise<null>((resolve, reject) => (answer = answers ? resolve : reject));
      });
      await settle();
      expect(timers()).to.equal(1);
      answer(null);
      await pending.catch(() => undefined);
      expect(timers()).to.equal(0);
    }
  });
});

describe('storeTimeout', () => {
  it('is a number of milliseconds that a timer can have, and is 5 s by default', () => {
    expect(storeTimeout('createThing: storeTimeoutMs', undefined)).to.equal(5_000);
    for (const value of [1, 2_147_483_647]) {
      expect(storeTimeout('createThing: storeTimeoutMs', value)).to.equal(value);
    }
    for (const value of [0, 2_147_483_648]) {
      expectTypeError(
        () => storeTimeout('createThing: storeTimeoutMs', value),
        'createThing: storeTimeoutMs must be a whole number from 1 to 2147483647.',
      );
    }
  });
});
