import { mock } from 'node:test';
import { expect } from 'chai';
import { callStore, checkStoreTimeout, DEFAULT_STORE_TIMEOUT_MS } from '../../src/store/call-store.js';
import type { AuthError } from '../../src/errors/auth-error.js';
import { expectAuthError, expectTypeError, rejectionOf } from '../helpers/thrown.js';

/** Long enough that only a call that hangs reaches it. */
const LONG = 60_000;
const never = new Promise<never>(() => undefined);

/** The 503 that a failing call makes. */
async function failureOf(call: () => unknown, timeoutMs = LONG): Promise<AuthError> {
  const error = await rejectionOf(callStore('findById', timeoutMs, call as () => Promise<unknown>));
  const failure = expectAuthError(error, 'store_unavailable');
  expect(failure.status).to.equal(503);
  expect(failure.headers).to.deep.equal({ 'Retry-After': '5' });
  expect(JSON.stringify(failure)).to.equal(
    '{"status":"Error","success":false,"code":503,"error":"store_unavailable","message":"Service unavailable",' +
      '"description":"Accounts cannot be checked right now. Try again later."}',
  );
  return failure;
}

/** Lets everything happen that is already due. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe('callStore', () => {
  it('gives what the store resolves to, whatever it is', async () => {
    const account = { id: '1' };
    for (const value of [account, null, undefined, false, new Error('returned, not thrown')]) {
      expect(await callStore('findById', LONG, () => Promise.resolve(value))).to.equal(value);
    }
  });

  it('takes an answer that is no promise', async () => {
    expect(await callStore('findById', LONG, (() => null) as never)).to.equal(null);
  });

  it('takes any thenable, as query builders are', async () => {
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

  it('calls the store once, at once', async () => {
    let calls = 0;
    const answer = callStore('findById', LONG, () => Promise.resolve((calls += 1)));
    expect(calls).to.equal(1);
    expect(await answer).to.equal(1);
    expect(calls).to.equal(1);
  });

  it('makes a 503 of what the store throws or rejects with, and keeps it as the cause', async () => {
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
      expect(failure.message).to.equal('UserStore.findById failed: connection refused');
    }
  });

  it('names the method that failed', async () => {
    for (const method of ['findCredentials', 'findById', 'replacePasswordHash'] as const) {
      const error = await rejectionOf(callStore(method, LONG, () => Promise.reject(new Error('down'))));
      expect(error).to.have.property('message', `UserStore.${method} failed: down`);
    }
  });

  it('makes a 503 of values that are no Error, also of those that Express goes on for', async () => {
    for (const reason of ['route', 'router', '', null, 0, false, { message: 'down' }]) {
      const throwing = () => {
        // eslint-disable-next-line @typescript-eslint/only-throw-error -- stores may
        throw reason;
      };
      for (const call of [throwing, () => Promise.reject(reason)]) {
        const failure = await failureOf(call);
        expect(failure.cause).to.be.instanceOf(Error).with.property('cause', reason);
        expect(failure.message).to.equal('UserStore.findById failed: A value that is no Error was thrown');
      }
    }
  });

  it('makes a 503 of errors whose message is no text, or cannot be read', async () => {
    const messages = [Symbol('down'), Object.create(null) as object, { toString: () => 5 }];
    const errors: Error[] = messages.map((message) => Object.assign(new Error(), { message }) as never);
    const unreadable = new Error();
    Object.defineProperty(unreadable, 'message', {
      get() {
        throw new Error('no');
      },
    });
    for (const cause of [...errors, unreadable]) {
      expect((await failureOf(() => Promise.reject(cause))).cause).to.equal(cause);
    }
  });

  it('waits no longer for a promise that answers with one that never settles', async () => {
    for (const nested of [never, { then: () => undefined }]) {
      const odd = Promise.resolve(null);
      odd.then = ((resolve: (value: unknown) => void) => resolve(nested)) as never;
      expect((await failureOf(() => odd, 2)).message).to.equal('UserStore.findById failed: no answer within 2 ms');
    }
    const odd = Promise.resolve(null);
    odd.then = ((resolve: (value: unknown) => void) => resolve(Promise.resolve('row'))) as never;
    expect(await callStore('findById', LONG, () => odd)).to.equal('row');
  });

  it('makes a 503 of an answer of which nothing can be asked', async () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    const odd = Promise.resolve(null);
    odd.then = ((resolve: (value: unknown) => void) => resolve(proxy)) as never;
    revoke();
    await failureOf(() => odd);
  });

  it('makes a 503 of a rejection with nothing', async () => {
    const failure = await failureOf(() => Promise.reject());
    expect(failure.cause).to.be.instanceOf(Error);
    expect(failure.message).to.equal('UserStore.findById failed: A value that is no Error was thrown');
  });

  it('makes a 503 of a store that does not answer in time', async () => {
    const failure = await failureOf(() => never, 2);
    expect(failure.message).to.equal('UserStore.findById failed: no answer within 2 ms');
    expect(failure.cause).to.be.instanceOf(Error).with.property('message', 'no answer within 2 ms');
  });

  it('ends each of many calls at its own time', async () => {
    const quick = callStore('findById', LONG, () => Promise.resolve('quick'));
    const slow = failureOf(() => never, 1);
    const broken = failureOf(() => Promise.reject(new Error('down')));
    expect(await quick).to.equal('quick');
    expect((await broken).message).to.equal('UserStore.findById failed: down');
    expect((await slow).message).to.equal('UserStore.findById failed: no answer within 1 ms');
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
      // Longer than the timeouts above, of which none may still go off.
      await failureOf(() => never, 5);
      await settle();
    } finally {
      process.off('unhandledRejection', record);
    }
    expect(unhandled).to.deep.equal([]);
  });

  it('sets no timer for an answer that is there at once, and leaves none behind', async () => {
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
      expect(set.mock.callCount()).to.equal(0);

      let answer: (value: null) => void = () => undefined;
      const pending = callStore('findById', LONG, () => new Promise<null>((resolve) => (answer = resolve)));
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
      expect(set.mock.calls.map((call) => call.arguments[1])).to.deep.equal([LONG]);
      expect(left()).to.equal(1);
      answer(null);
      await pending;
      expect(left()).to.equal(0);
    } finally {
      mock.restoreAll();
    }
  });
});

describe('checkStoreTimeout', () => {
  it('accepts what a timer can hold', () => {
    expect(DEFAULT_STORE_TIMEOUT_MS).to.equal(5_000);
    for (const value of [1, DEFAULT_STORE_TIMEOUT_MS, 2_147_483_647]) checkStoreTimeout('createThing', value);
  });

  it('refuses anything else', () => {
    for (const value of [0, -1, 2_147_483_648, Infinity, NaN, 0.5, '5000', null, undefined]) {
      expectTypeError(
        () => checkStoreTimeout('createThing', value),
        'createThing: storeTimeoutMs must be a whole number from 1 to 2147483647.',
      );
    }
  });
});
