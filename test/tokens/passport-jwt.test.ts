import { mock } from 'node:test';
import { expect } from 'chai';
import jsonwebtoken from 'jsonwebtoken';
import type { Algorithm } from '../../src/tokens/algorithms.js';
import { type Key, keyRing } from '../../src/tokens/keys.js';
import { createVerifySignature } from '../../src/tokens/passport-jwt.js';
import { ecPair, rsaPair } from '../helpers/keys.js';
import { thrownBy } from '../helpers/thrown.js';
import { craftToken } from '../helpers/tokens.js';

const SECRET = 'mangrove-mangrove-mangrove-32-by';
const OTHER_SECRET = 'baobab-baobab-baobab-baobab-32-b';
const PAYLOAD = { sub: '1', referencl: 'BTQ-1001' };

const ring = keyRing([
  { kid: 'hs', algorithm: 'HS256', secret: SECRET },
  { kid: 'rs', algorithm: 'RS256', ...rsaPair() },
  { kid: 'es', algorithm: 'ES256', ...ecPair.prime256v1() },
]);

function keyOf(kid: 'hs' | 'rs' | 'es'): Key {
  return ring.get(kid) ?? expect.fail(kid);
}

/** Signs a payload with HS256. */
function signed(payload: unknown, key = SECRET): string {
  return craftToken({ header: { alg: 'HS256', typ: 'JWT' }, payload, key });
}

function messageOf(call: () => unknown): string {
  const error = thrownBy(call);
  expect(error).to.be.instanceOf(Error);
  return (error as Error).message;
}

describe('createVerifySignature', () => {
  const verifySignature = createVerifySignature(['HS256', 'RS256', 'ES256']);

  it('returns the payload of a token with a good signature', () => {
    const keys = { hs: SECRET, rs: rsaPair().privateKey, es: ecPair.prime256v1().privateKey };
    for (const kid of ['hs', 'rs', 'es'] as const) {
      const token = craftToken({ header: { alg: keyOf(kid).algorithm }, payload: PAYLOAD, key: keys[kid] });
      expect(verifySignature(token, keyOf(kid))).to.deep.equal(PAYLOAD);
    }
  });

  it('throws the error of the library for any other token, without a stack', () => {
    const { stackTraceLimit } = Error;
    const token = signed(PAYLOAD);
    for (const [other, message] of [
      [signed(PAYLOAD, OTHER_SECRET), 'invalid signature'],
      [`${token}x`, 'invalid signature'],
      [`${token.split('.').slice(0, 2).join('.')}.`, 'jwt signature is required'],
      ['a.b', 'jwt malformed'],
      ['', 'No auth token'],
    ] as const) {
      const error = thrownBy(() => verifySignature(other, keyOf('hs')));
      expect(error).to.be.instanceOf(Error).with.property('message', message);
      expect((error as Error).stack).not.to.match(/\n\s+at /);
    }
    expect(Error.stackTraceLimit).to.equal(stackTraceLimit).and.to.be.above(0);
  });

  it('accepts only the given algorithms', () => {
    const algorithms: Algorithm[] = ['RS256', 'ES256'];
    const verifyOthers = createVerifySignature(algorithms);
    expect(messageOf(() => verifyOthers(signed(PAYLOAD), keyOf('hs')))).to.equal('invalid algorithm');
    algorithms.push('HS256');
    expect(messageOf(() => verifyOthers(signed(PAYLOAD), keyOf('hs')))).to.equal('invalid algorithm');
    expect(createVerifySignature(['HS256'])(signed(PAYLOAD), keyOf('hs'))).to.deep.equal(PAYLOAD);
  });

  it('leaves the times to the rules, which know the clock', () => {
    for (const times of [{ exp: 1 }, { nbf: 9e9 }, { iat: 9e9, exp: 9e9 }, { exp: 'never', nbf: null }]) {
      const payload = { ...PAYLOAD, ...times };
      expect(verifySignature(signed(payload), keyOf('hs'))).to.deep.equal(payload);
    }
  });

  describe('with overlapping calls', () => {
    afterEach('restore the real verification', () => {
      mock.restoreAll();
    });

    /** A key that makes another call while passport-jwt asks for it. */
    function keyThatCalls(other: () => void): Key {
      return {
        ...keyOf('hs'),
        get verifyingKey() {
          other();
          return keyOf('hs').verifyingKey;
        },
      };
    }

    it('gives each call its own outcome, when one runs inside the other', () => {
      const [good, forged] = [signed(PAYLOAD), signed({ sub: '2' }, OTHER_SECRET)];
      const otherGood = signed({ sub: '3' });
      const inner: unknown[] = [];
      const verifyInner = (token: string) =>
        keyThatCalls(() => {
          try {
            inner.push(verifySignature(token, keyOf('hs')));
          } catch (error) {
            inner.push((error as Error).message);
          }
        });
      expect(verifySignature(good, verifyInner(otherGood))).to.deep.equal(PAYLOAD);
      expect(verifySignature(good, verifyInner(forged))).to.deep.equal(PAYLOAD);
      expect(messageOf(() => verifySignature(forged, verifyInner(good)))).to.equal('invalid signature');
      expect(messageOf(() => verifySignature(forged, verifyInner('')))).to.equal('invalid signature');
      expect(inner).to.deep.equal([{ sub: '3' }, 'invalid signature', PAYLOAD, 'No auth token']);
    });

    it('accepts no call whose outcome comes later, and gives that outcome to no other call', () => {
      const pending: (() => void)[] = [];
      const verify = mock.method(jsonwebtoken, 'verify', ((...args: unknown[]) => {
        const done = args.at(-1) as (error: Error | null, payload?: unknown) => void;
        pending.push(() => done(null, { sub: 'late' }));
      }) as never);
      for (let call = 0; call < 2; call++) {
        expect(messageOf(() => verifySignature(signed(PAYLOAD), keyOf('hs')))).to.equal(
          'passport-jwt reported no outcome',
        );
      }
      verify.mock.restore();
      const key = keyThatCalls(() => {
        for (const report of pending) report();
      });
      expect(messageOf(() => verifySignature(signed(PAYLOAD, OTHER_SECRET), key))).to.equal('invalid signature');
      expect(verifySignature(signed(PAYLOAD), key)).to.deep.equal(PAYLOAD);
      expect(pending).to.have.length(2);
    });
  });
});
