'use strict';

const assert = require('node:assert/strict');
const { it } = require('node:test');
const { withHost } = require('./hosts');

withHost('after', (host) => {
  it('no route but the login is reachable without a guard', () => {
    const { auditRoutes } = require('express-merchant-auth/testing');
    const audit = auditRoutes(host.load('app'));
    // The host has its own login route, which answers all other methods with 405.
    const open = ['POST /auth/login: no guard', 'ALL /auth/login: no guard'];
    assert.deepEqual(audit.findings, open, String(audit));
  });
});
