'use strict';

const assert = require('node:assert/strict');
const { it } = require('node:test');
const { withHost } = require('./hosts');
const { addUsers, passwordOf } = require('./users');

withHost('after', (host) => {
  it('no route but the login is reachable without a guard', () => {
    const { auditRoutes } = require('express-merchant-auth/testing');
    const audit = auditRoutes(host.load('app'));
    // The host has its own login route, which answers all other methods with 405.
    const open = ['POST /auth/login: no guard', 'ALL /auth/login: no guard'];
    assert.deepEqual(audit.findings, open, String(audit));
  });

  it('a row of another merchant is answered as one that does not exist', async () => {
    const { authContract } = require('express-merchant-auth/testing');
    await addUsers(host);
    const account = (email, referencl) => ({ email, referencl, password: passwordOf(email) });
    const createHost = async () => ({
      app: host.load('app'),
      merchant: account('awa', 'BTQ-1001'),
      otherMerchant: account('kofi', 'CNT-1002'),
      loginPath: '/auth/login',
      ownLogin: {
        body: (username, password) => ({ username, password }),
        tokenOf: ({ data }) => data.token,
      },
      transactions: {
        path: '/payments',
        body: (merchantRef) => ({ merchantRef, amount: 1500, currency: 'XOF' }),
        idOf: ({ data }) => data.id,
      },
    });
    const { run } = authContract(createHost).find(({ name }) => name.includes('a row of another merchant'));
    const skip = (reason) => assert.fail(reason);
    await run.call({ skip });
  });
});
