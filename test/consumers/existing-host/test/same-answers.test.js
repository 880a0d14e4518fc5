'use strict';

const assert = require('node:assert/strict');
const { before, it } = require('node:test');
const jwt = require('jsonwebtoken');
const { withHost } = require('./hosts');
const { addUsers, passwordOf } = require('./users');

const AWA = { id: 1, username: 'awa', role: 'owner', merchantRef: 'BTQ-1001' };
const PAYMENT = { merchantRef: 'BTQ-1001', amount: 500, currency: 'XOF' };
const STORED = { id: 1, ...PAYMENT, status: 'pending' };

const ok = (data, status = 200) => ({ status, body: { success: true, data } });
const refusal = (status, code, message) => ({ status, body: { success: false, error: { code, message } } });

const LOGGED_IN = ok({ user: AWA, token: 'a JWT' });
const WRONG = refusal(401, 'INVALID_CREDENTIALS', 'Wrong username or password');
const UNAUTHORIZED = refusal(401, 'UNAUTHORIZED', 'Unauthorized');
const FORBIDDEN = refusal(403, 'FORBIDDEN', 'Forbidden');
const NOT_FOUND = refusal(404, 'NOT_FOUND', 'Not Found');
const OUTAGE = refusal(500, 'INTERNAL_SERVER_ERROR', 'Internal Server Error');

const logIn = (username, password) => ['POST', '/auth/login', { json: { username, password } }];
const pay = (token, json) => ['POST', '/payments', { token, json }];

/** The requests of the clients, in order: a title, the request and the answer. Both versions give this answer. */
const EXCHANGES = [
  ['a login', () => logIn('awa', passwordOf('awa')), LOGGED_IN],
  ['a login in another letter case', () => logIn('AWA', passwordOf('awa')), LOGGED_IN],
  ['a login with an accent, which the collation ignores', () => logIn('áwa', passwordOf('awa')), LOGGED_IN],
  [
    'a login with a $2b$ hash',
    () => logIn('binta', passwordOf('binta')),
    ok({ user: { id: 2, username: 'binta', role: 'cashier', merchantRef: 'BTQ-1001' }, token: 'a JWT' }),
  ],
  [
    'a login with a $2y$ hash',
    () => logIn('kofi', passwordOf('kofi')),
    ok({ user: { id: 3, username: 'kofi', role: 'owner', merchantRef: 'CNT-1002' }, token: 'a JWT' }),
  ],
  [
    'a login with a password over 72 bytes',
    () => logIn('sira', passwordOf('sira')),
    ok({ user: { id: 4, username: 'sira', role: 'owner', merchantRef: 'SRA-1003' }, token: 'a JWT' }),
  ],
  ['a wrong password', () => logIn('awa', 'calebasse-2026'), WRONG],
  ['an unknown username', () => logIn('moussa', 'baobab-2026'), WRONG],
  [
    'a disabled account',
    () => logIn('fermee', passwordOf('fermee')),
    refusal(403, 'ACCOUNT_DISABLED', 'This account is disabled'),
  ],
  ['a login without a password', () => logIn('awa'), refusal(400, 'VALIDATION_ERROR', 'password: Required')],
  [
    'a login with broken JSON',
    () => ['POST', '/auth/login', { body: '{"username":', headers: { 'Content-Type': 'application/json' } }],
    refusal(400, 'BAD_REQUEST', 'Bad Request'),
  ],

  ['the own profile', (tokens) => ['GET', '/auth/me', { token: tokens.awa }], ok(AWA)],
  ['no token', () => ['GET', '/auth/me'], UNAUTHORIZED],
  ['garbage as token', () => ['GET', '/auth/me', { token: 'garbage' }], UNAUTHORIZED],
  ['a token with another signature', (tokens) => ['GET', '/auth/me', { token: tokens.forged }], UNAUTHORIZED],
  ['an expired token', (tokens) => ['GET', '/auth/me', { token: tokens.expired }], UNAUTHORIZED],
  [
    'the token of an account that was disabled later',
    (tokens) => ['GET', '/auth/me', { token: tokens.mariam }],
    UNAUTHORIZED,
  ],

  ['a payment', (tokens) => pay(tokens.awa, PAYMENT), ok(STORED, 201)],
  ['a payment of another merchant', (tokens) => pay(tokens.kofi, PAYMENT), FORBIDDEN],
  [
    'a payment without merchantRef',
    (tokens) => pay(tokens.awa, { amount: 500, currency: 'XOF' }),
    refusal(400, 'VALIDATION_ERROR', 'merchantRef: Required'),
  ],
  ['a payment that is read', (tokens) => ['GET', '/payments/1', { token: tokens.binta }], ok(STORED)],
  ['a payment of another merchant that is read', (tokens) => ['GET', '/payments/1', { token: tokens.kofi }], NOT_FOUND],
  ['a refund by a cashier', (tokens) => ['POST', '/payments/1/refund', { token: tokens.binta }], FORBIDDEN],
  [
    'a refund by an owner',
    (tokens) => ['POST', '/payments/1/refund', { token: tokens.awa }],
    ok({ ...STORED, status: 'refunded' }),
  ],
  ['an unknown route', () => ['GET', '/nowhere'], NOT_FOUND],
];

/** Makes a token of awa that has expired, with the means of the version. */
async function expiredToken({ version, load, secret }) {
  if (version === 'before') return jwt.sign({ sub: '1' }, secret, { expiresIn: -1 });
  const { createTokens } = require('express-merchant-auth');
  const { createTestTokens } = require('express-merchant-auth/testing');
  return createTestTokens(createTokens()).expired(await load('models/users').findById('1'));
}

async function setUp(host, tokens) {
  await addUsers(host);
  for (const username of ['awa', 'binta', 'kofi', 'mariam']) {
    tokens[username] = await host.logIn(username, passwordOf(username));
  }
  await host.db.query("UPDATE users SET status = 'disabled' WHERE username = 'mariam'");
  tokens.forged = tokens.awa.replace(/[^.]+$/, (signature) => [...signature].reverse().join(''));
  tokens.expired = await expiredToken(host);
}

/** Replaces the token, and removes the headers that depend on the token or on the time. */
function withoutToken({ status, headers: { date, ...headers }, body }) {
  if (!body.data?.token) return { status, headers, body };
  assert.match(body.data.token, /^[\w-]+\.[\w-]+\.[\w-]+$/);
  const { etag, 'content-length': length, ...others } = headers;
  return { status, headers: others, body: { ...body, data: { ...body.data, token: 'a JWT' } } };
}

const answers = { before: [], after: [] };

for (const version of ['before', 'after']) {
  withHost(version, (host) => {
    const tokens = {};

    before(() => setUp(host, tokens));
    for (const [title, request, expected] of EXCHANGES) {
      it(title, async () => {
        const answer = withoutToken(await host.send(...request(tokens)));
        assert.deepEqual({ status: answer.status, body: answer.body }, expected);
        answers[version].push({ title, ...answer });
      });
    }
    it('an outage of the table is a 500 that the host logs', async (t) => {
      const logged = t.mock.method(console, 'error', () => {}).mock;
      await host.db.query('RENAME TABLE users TO away');
      for (const request of [logIn('awa', passwordOf('awa')), ['GET', '/auth/me', { token: tokens.awa }]]) {
        const answer = await host.send(...request);
        assert.deepEqual({ status: answer.status, body: answer.body }, OUTAGE);
      }
      await host.db.query('RENAME TABLE away TO users');
      assert.equal(logged.callCount(), 2);
    });
  });
}

if (process.env.TEST_MYSQL_URL) {
  it('the answers of both versions have the same headers', () => {
    assert.equal(answers.after.length, EXCHANGES.length);
    assert.deepEqual(answers.after, answers.before);
  });
}
