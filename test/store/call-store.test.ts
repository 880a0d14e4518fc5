import { mock } from 'node:test';
import { expect } from 'chai';
import { callStore, DEFAULT_STORE_TIMEOUT_MS, storeTimeout } from '../../src/store/call-store.js';
import type { AuthError } from '../../src/errors/auth-error.js';
import { expectAuthError, expectTypeError, rejectionOf } from '../helpers/thrown.js';

/** Long enough that only a call that hangs reaches it. */
const LONG = 60_000;
const never = new Promise<never>(() => undefined);
/** The message of the cause after a timeout of 2 ms. */
const NO_ANSWER = 'no answer within 2 ms';

/** Returns the 503 of a failing call. The message of the driver is only in its `cause`. */
async function failureOf(call: () => unknown, timeoutMs = LONG): Promise<AuthError> {
  const error = await rejectionOf(callStore('findById', timeoutMs, call as () => Promise<unknown>));
  const failure = expectAuthError(error, 'store_unavailable');
  expect(failure.status).to.equal(503);
  expect(failure.headers).to.deep.equal({ 'Retry-After': '5' });
  expect(JSON.stringify(failure)).to.equal(
    '{"status":"Error","success":false,"code":503,"error":"store_unavailable","message":"Accounts cannot be checked",' +
      '"description":"Accounts cannot be checked right now. Try again in 5 seconds."}',
  );
  expect(failure.detail).to.equal('UserStore.findById failed.');
  return failure;
}

/** Waits until all due callbacks have run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe('callStore', () => {
  it('resolves to the result of the store, whatever it is', async () => {
    const account = { id: '1' };
    for (const value of [account, null, undefined, false, new Error('returned, not thrown')]) {
      expect(await callStore('findById', LONG, () => Promise.resolve(value))).to.equal(value);
    }
  });

  it('accepts an answer that is not a promise', async () => {
    expect(await callStore('findById', LONG, (() => null) as never)).to.equal(null);
  });

  it('accepts any thenable, such as a query builder', async () => {
    const query = { then: (resolve: (value: string) => void) => resolve('row') };
    expect(await callStore('findById', LONG, () => query as never)).to.equal('row');
    const cause = new Error('bad query');
    const failing = {
      then() {
        throw cause;
      },
    };
    expect((await failureOf(() => failing)).cause).to.equal(cause);
  });

  it('calls the store once and synchronously', async () => {
    let calls = 0;
    const answer = callStore('findById', LONG, () => Promise.resolve((calls += 1)));
    expect(calls).to.equal(1);
    expect(await answer).to.equal(1);
    expect(calls).to.equal(1);
  });

  it('turns an error of the store into a 503, and keeps it as the cause', async () => {
    const cause = new Error('connection refused');
    const calls = [
      () => {
        throw cause;
      },
      () => Promise.reject(cause),
      async () => {
        await settle();
        throw cause;
      },
    ];
    for (const call of calls) {
      const failure = await failureOf(call);
      expect(failure.cause).to.equal(cause);
    }
  });

  it('names the failed method to the host only', async () => {
    for (const method of ['findCredentials', 'findById', 'replacePasswordHash'] as const) {
      const error = await rejectionOf(callStore(method, LONG, () => Promise.reject(new Error('down'))));
      expect(error).to.have.property('detail', `UserStore.${method} failed.`);
      expect(JSON.stringify(error)).not.to.contain(method);
    }
  });

  it('turns values that are not Errors into a 503, also those that Express treats as no error', async () => {
    for (const reason of ['route', 'router', '', null, 0, false, { message: 'down' }]) {
      const throwing = () => {
        // eslint-disable-next-line @typescript-eslint/only-throw-error -- stores may
        throw reason;
      };
      for (const call of [throwing, () => Promise.reject(reason)]) {
        const failure = await failureOf(call);
        expect(failure.cause)
          .to.be.instanceOf(Error)
          .with.property('message', 'A value that is not an Error was thrown');
        expect(failure.cause).to.have.property('cause', reason);
      }
    }
  });

  it('limits the wait also for a thenable that resolves to a promise which never settles', async () => {
    for (const nested of [never, { then: () => undefined }]) {
      const query = { then: (resolve: (value: unknown) => void) => resolve(nested) };
      expect((await failureOf(() => query, 2)).cause).to.include({ name: 'TimeoutError', message: NO_ANSWER });
    }
    const query = { then: (resolve: (value: unknown) => void) => resolve(Promise.resolve('row')) };
    expect(await callStore('findById', LONG, () => query as never)).to.equal('row');
  });

  it('turns a rejection without a reason into a 503', async () => {
    const failure = await failureOf(() => Promise.reject());
    expect(failure.cause).to.be.instanceOf(Error).with.property('cause', undefined);
    expect(failure.cause).to.have.property('message', 'A value that is not an Error was thrown');
  });

  it('rejects with a 503 when the store does not answer in time (ASVS 13.2.6)', async () => {
    const { cause } = await failureOf(() => never, 2);
    expect(cause).to.be.instanceOf(Error).and.include({ name: 'TimeoutError', message: NO_ANSWER });
  });

  it('ends each of many calls after its own timeout', async () => {
    const quick = callStore('findById', LONG, () => Promise.resolve('quick'));
    const slow = failureOf(() => never, 1);
    const broken = failureOf(() => Promise.reject(new Error('down')));
    expect(await quick).to.equal('quick');
    expect((await broken).cause).to.have.property('message', 'down');
    expect((await slow).cause).to.have.property('message', 'no answer within 1 ms');
  });

  it('leaves no rejection unhandled, neither a late one nor its own', async () => {
    const unhandled: unknown[] = [];
    const record = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', record);
    try {
      let rejectLate: ((reason: Error) => void) | undefined;
      const late = new Promise<never>((_resolve, reject) => {
        rejectLate = reject;
      });
      await failureOf(() => late, 1);
      rejectLate?.(new Error('too late'));
      await failureOf(() => {
        throw new Error('at once');
      }, 1);
      await callStore('findById', 1, () => Promise.resolve(null));
      // This is longer than the timeouts above. None of them may still fire.
      await failureOf(() => never, 5);
      await settle();
    } finally {
      process.off('unhandledRejection', record);
    }
    expect(unhandled).to.deep.equal([]);
  });

  it('leaves no timer behind', async () => {
    const set = mock.method(globalThis, 'setTimeout');
    const clear = mock.method(globalThis, 'clearTimeout');
    const left = () => {
      const cleared = clear.mock.calls.map((call) => call.arguments[0]);
      return set.mock.calls.filter(({ result }) => !cleared.includes(result)).length;
    };
    try {
      await callStore('findById', LONG, () => Promise.resolve(null));
      await callStore('findById', LONG, async () => Promise.resolve(null));
      await failureOf(() => Promise.reject(new Error('down')));
      await failureOf(() => {
        throw new Error('down');
      });
      expect(left()).to.equal(0);

      let answer: (value: null) => void = () => undefined;
      const pending = callStore('findById', LONG, () => new Promise<null>((resolve) => (answer = resolve)));
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
      expect(set.mock.calls.at(-1)?.arguments[1]).to.equal(LONG / 5);
      expect(left()).to.equal(1);
      answer(null);
      await pending;
      expect(left()).to.equal(0);
    } finally {
      mock.restoreAll();
    }
  });
});

describe('storeTimeout', () => {
  it('accepts the milliseconds that a timer can have, and is 5 s by default', () => {
    expect(DEFAULT_STORE_TIMEOUT_MS).to.equal(5_000);
    for (const value of [1, DEFAULT_STORE_TIMEOUT_MS, 2_147_483_647]) {
      expect(storeTimeout('createThing: storeTimeoutMs', value)).to.equal(value);
    }
    expect(storeTimeout('createThing: storeTimeoutMs', undefined)).to.equal(5_000);
  });

  it('refuses anything else', () => {
    for (const value of [0, -1, 2_147_483_648, Infinity, NaN, 0.5, '5000', null]) {
      expectTypeError(
        () => storeTimeout('createThing: storeTimeoutMs', value),
        'createThing: storeTimeoutMs must be a whole number from 1 to 2147483647.',
      );
    }
  });
});
