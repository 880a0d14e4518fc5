'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { InMemoryUserStore } = require('express-merchant-auth');
const passport = require('passport');
const { AWA, casesOf, listen, send, tokenOf } = require('../shared/cases.cjs');
const { createApp } = require('./build/app.js');

const KOFI = { name: 'kofi', mayRefund: true };
const createHost = () => createApp(new InMemoryUserStore([{ ...AWA, shop: 'Boutique Awa' }]));

for (const { name, run } of casesOf(createHost)) test(name, run);

/** Starts the host, logs in the staff with a session and the merchant with a token, and runs the steps of a test. */
async function withBoth(steps) {
  const server = await listen(createHost());
  try {
    const body = JSON.stringify({ name: 'kofi', password: 'calebasse-2026' });
    const login = await send(server, '/staff/login', { body });
    assert.deepEqual([login.status, login.body], [200, { name: 'kofi' }]);
    const cookie = login.headers['set-cookie'][0].split(';')[0];
    const get = async (path, options) => {
      const answer = await send(server, path, { method: 'GET', ...options });
      return answer.body;
    };
    await steps({ get, cookie, token: await tokenOf(server) });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('the session of the host keeps its user, even in a request with a token', () =>
  withBoth(async ({ get, cookie, token }) => {
    const signedIn = { user: KOFI, isAuthenticated: true };
    assert.deepEqual(await get('/staff/me', { headers: { cookie } }), signedIn);
    assert.deepEqual(await get('/v1/shop', { headers: { cookie }, token }), { shop: 'Boutique Awa' });
    assert.deepEqual(await get('/staff/me', { headers: { cookie }, token }), signedIn);
    assert.deepEqual(await get('/staff/me', { token }), { user: null, isAuthenticated: false });
  }));

test('a session does not pass the guard', () =>
  withBoth(async ({ get, cookie }) => {
    assert.equal((await get('/v1/shop', { headers: { cookie } })).error, 'missing_token');
  }));

test('the strategy of the host that is called jwt stays the one of its passport', () =>
  withBoth(async ({ get, token }) => {
    assert.deepEqual(await get('/staff/key', { headers: { 'x-staff-key': 'of kofi' } }), { mayRefund: true });
    assert.deepEqual(await get('/v1/shop', { token }), { shop: 'Boutique Awa' });
    assert.equal(passport._strategy('jwt').constructor.name, 'OtherJwtStrategy');
    assert.deepEqual(Object.keys(passport._strategies), ['session', 'jwt', 'local']);
  }));
