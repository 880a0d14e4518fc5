import { expect } from 'chai';
import { createLoginRouter, requireBearer, requireOwnReference } from '../../src/index.js';
import { accountStore } from '../helpers/accounts.js';

/** The keys that audit/README.md documents. */
const MARK = Symbol.for('express-merchant-auth.mark');
const COPIED = 'expressMerchantAuth';

describe('the mark of a handler, which express-merchant-auth-audit reads', () => {
  const userStore = accountStore();
  const loginHandler = () => createLoginRouter(userStore).stack[0]?.route?.stack[0]?.handle ?? expect.fail();
  const GUARD = { version: 1, kind: 'bearer', account: true, reference: 'own', referenceNames: ['refercence_cl'] };
  const guarding = { account: false, reference: 'reported' } as const;

  for (const [handler, mark] of [
    [requireBearer({ userStore }), GUARD],
    [requireBearer({ reference: 'reported' }), { ...GUARD, ...guarding }],
    [requireBearer({ userStore, referenceNames: ['merchantId'] }), { ...GUARD, referenceNames: ['merchantId'] }],
    [requireOwnReference(), { version: 1, kind: 'ownReference' }],
    [loginHandler(), { version: 1, kind: 'login' }],
  ] as const) {
    it(`says the version, the function and its checks, even where a wrapper copies string keys: ${handler.name}`, () => {
      const marked = handler as unknown as Record<string | symbol, unknown>;
      expect(marked[MARK]).to.deep.equal({ ...mark, handler });
      expect(Object.isFrozen(marked[MARK])).to.equal(true);
      expect(Object.fromEntries(Object.entries(marked))).to.deep.equal({ [COPIED]: marked[MARK] });
    });
  }
});
