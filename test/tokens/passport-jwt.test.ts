import { mock } from 'node:test';
import { expect } from 'chai';
import jsonwebtoken from 'jsonwebtoken';
import type { Algorithm } from '../../src/tokens/algorithms.js';
import { type Key, keyOfSecret } from '../../src/tokens/keys.js';
import { createReadToken } from '../../src/tokens/passport-jwt.js';
import { OTHER_SECRET, SECRET } from '../helpers/keys.js';
import { thrownBy } from '../helpers/thrown.js';
import { craftToken } from '../helpers/tokens.js';

const PAYLOAD = { sub: '1', referencl: 'BTQ-1001' };
const KEY = keyOfSecret(SECRET);

/** Signs a payload with HS256. */
function signed(payload: unknown, key = SECRET): string {
  return craftToken({ header: { alg: 'HS256', typ: 'JWT' }, payload, key });
}

function expectError(call: () => unknown, message: string): void {
  expect(thrownBy(call)).to.be.instanceOf(Error).with.property('message', message);
}

/** Makes a function that verifies the signature of a token with a key, and returns the payload. */
function createVerifySignature(algorithms: readonly Algorithm[]) {
  let presented: Key = KEY;
  const readToken = createReadToken({ algorithms, keyOf: () => presented, claimsOf: (payload) => ({ payload }) });
  return (token: string, key: Key) => {
    presented = key;
    return readToken(token, (reason) => reason as Error).payload;
  };
}

describe('createReadToken', () => {
  const verifySignature = createVerifySignature(['HS256', 'RS256', 'ES256']);

  it('throws the error of the library for a token without a good signature, without a stack', () => {
    const { stackTraceLimit } = Error;
    const token = signed(PAYLOAD);
    for (const [other, message] of [
      [signed(PAYLOAD, OTHER_SECRET), 'invalid signature'],
      [`${token}x`, 'invalid signature'],
      [`${token.split('.').slice(0, 2).join('.')}.`, 'jwt signature is required'],
      ['a.b', 'jwt malformed'],
      ['', 'jwt malformed'],
    ] as const) {
      const error = thrownBy(() => verifySignature(other, KEY));
      expect(error).to.be.instanceOf(Error).with.property('message', message);
      expect((error as Error).stack).not.to.match(/\n\s+at /);
    }
    expect(verifySignature(token, KEY)).to.deep.equal(PAYLOAD);
    expect(Error.stackTraceLimit).to.equal(stackTraceLimit).and.to.be.above(0);
  });

  it('accepts only the given algorithms', () => {
    const algorithms: Algorithm[] = ['RS256', 'ES256'];
    const verifyOthers = createVerifySignature(algorithms);
    algorithms.push('HS256');
    expectError(() => verifyOthers(signed(PAYLOAD), KEY), 'invalid algorithm');
  });

  it('leaves the times to the rules, which know the clock', () => {
    for (const times of [{ exp: 1 }, { nbf: 9e9 }, { iat: 9e9, exp: 9e9 }, { exp: 'never', nbf: null }]) {
      const payload = { ...PAYLOAD, ...times };
      expect(verifySignature(signed(payload), KEY)).to.deep.equal(payload);
    }
  });

  /** A key that makes another call while passport-jwt asks for it. */
  function keyThatCalls(other: () => void): Key {
    return {
      ...KEY,
      get verifyingKey() {
        other();
        return KEY.verifyingKey;
      },
    };
  }

  it('gives each call its own outcome, when one runs inside the other', () => {
    const [good, forged] = [signed(PAYLOAD), signed({ sub: '2' }, OTHER_SECRET)];
    const inner: unknown[] = [];
    const keyThatVerifies = (token: string) => keyThatCalls(() => inner.push(verifySignature(token, KEY)));
    const keyThatRefuses = keyThatCalls(() => expectError(() => verifySignature(forged, KEY), 'invalid signature'));
    expect(verifySignature(good, keyThatVerifies(signed({ sub: '3' })))).to.deep.equal(PAYLOAD);
    expect(verifySignature(good, keyThatRefuses)).to.deep.equal(PAYLOAD);
    expectError(() => verifySignature(forged, keyThatVerifies(good)), 'invalid signature');
    expect(inner).to.deep.equal([{ sub: '3' }, PAYLOAD]);
  });

  it('accepts no call whose outcome comes later, and gives that outcome to no other call', () => {
    const pending: (() => void)[] = [];
    const verify = mock.method(jsonwebtoken, 'verify', ((...args: unknown[]) => {
      const done = args.at(-1) as (error: Error | null, payload?: unknown) => void;
      pending.push(() => done(null, { sub: 'late' }));
    }) as never);
    expectError(() => verifySignature(signed(PAYLOAD), KEY), 'passport-jwt reported no outcome');
    verify.mock.restore();
    const key = keyThatCalls(() => pending.forEach((report) => report()));
    expectError(() => verifySignature(signed(PAYLOAD, OTHER_SECRET), key), 'invalid signature');
    expect(pending).to.have.length(1);
  });
});
