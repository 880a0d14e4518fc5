'use strict';

const assert = require('node:assert/strict');
const { it } = require('node:test');
const express = require('express');
const { withHost } = require('./hosts');

withHost('after', (host) => {
  it('no route but the login is reachable without a guard', () => {
    const { auditRoutes } = require('express-merchant-auth/testing');
    const audit = auditRoutes(host.load('app'));
    // The host has its own login route, which answers all other methods with 405.
    const open = ['POST /auth/login: no guard', 'ALL /auth/login: no guard'];
    assert.deepEqual(audit.findings, open, String(audit));
  });

  it('a router that somebody mounts without the guard is found', () => {
    const { auditRoutes } = require('express-merchant-auth/testing');
    const app = express().use(host.load('app'));
    app.use(
      '/refunds',
      express.Router().post('/', (req, res) => res.end()),
    );
    assert.match(String(auditRoutes(app)), /POST \/refunds: no guard\. Mount requireBearer/);
  });
});
