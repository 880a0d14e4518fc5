import { expect } from 'chai';
import { createLoginRouter, requireBearer, requireOwnReference } from '../../src/index.js';
import { accountStore } from '../helpers/accounts.js';

/** The key that audit/README.md documents. */
const MARK = Symbol.for('express-merchant-auth.mark');

describe('the mark of a handler, which express-merchant-auth-audit reads', () => {
  const userStore = accountStore();
  const loginHandler = () => createLoginRouter(userStore).stack[0]?.route?.stack[0]?.handle ?? expect.fail();
  const GUARD = { kind: 'bearer', account: true, reference: 'own', names: ['refercence_cl'] };
  const guarding = { account: false, reference: 'reported' } as const;

  for (const [handler, mark] of [
    [requireBearer({ userStore }), GUARD],
    [requireBearer({ reference: 'reported' }), { ...GUARD, ...guarding }],
    [requireBearer({ userStore, referenceNames: ['merchantId'] }), { ...GUARD, names: ['merchantId'] }],
    [requireOwnReference(), { kind: 'ownReference' }],
    [loginHandler(), { kind: 'login' }],
  ] as const) {
    it(`says its checks, and no more: ${handler.name}`, () => {
      const marked = handler as unknown as Record<symbol, unknown>;
      expect(marked[MARK]).to.deep.equal(mark);
      expect(Object.isFrozen(marked[MARK])).to.equal(true);
      expect(
        Reflect.ownKeys(handler).filter(
          (key) => !['length', 'name', 'prototype', 'arguments', 'caller'].includes(String(key)),
        ),
      ).to.deep.equal([MARK]);
    });
  }
});
