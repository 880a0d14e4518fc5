'use strict';

const assert = require('node:assert/strict');
const { before, it } = require('node:test');
const bcrypt = require('bcryptjs');
const jwt = require('jsonwebtoken');
const { withHost } = require('./hosts');
const { addUsers, passwordOf } = require('./users');

const PAYMENT = { merchantRef: 'BTQ-1001', amount: 500, currency: 'XOF' };

withHost('after', (host) => {
  let auth;
  let users;

  before(async () => {
    await addUsers(host);
    auth = require('express-merchant-auth');
    users = host.load('models/users');
  });

  const refusalOf = async (...request) => {
    const { status, body } = await host.send(...request);
    return [status, body.error.code];
  };

  it('the token is valid for 5 hours and holds the merchant reference', async () => {
    const { sub, referencl, iat, exp } = auth.createTokens().verify(await host.logIn('awa', passwordOf('awa')));
    assert.deepEqual([sub, referencl, exp - iat], ['1', 'BTQ-1001', 18_000]);
  });

  it('a login keeps the bcrypt hash, so that the back office can read it', async () => {
    const select = 'SELECT password FROM users WHERE username IN (?, ?, ?) ORDER BY user_id';
    const names = ['awa', 'binta', 'kofi'];
    const [stored] = await host.db.query(select, names);
    for (const name of names) await host.logIn(name, passwordOf(name));
    assert.equal(users.replacePasswordHash, undefined);
    const [kept] = await host.db.query(select, names);
    assert.deepEqual(kept, stored);
    assert.ok(await bcrypt.compare(passwordOf('awa'), kept[0].password));
  });

  it('the handlers read the role from the account, which has no password hash', async () => {
    const account = await users.findById('2');
    assert.equal(account.role, 'cashier');
    assert.ok(!JSON.stringify(account).includes('$2b$'));
    const token = await host.logIn('binta', passwordOf('binta'));
    assert.deepEqual(await refusalOf('POST', '/payments/1/refund', { token }), [404, 'NOT_FOUND']);
    assert.equal((await host.send('POST', '/payments', { token, json: PAYMENT })).status, 201);
    assert.deepEqual(await refusalOf('POST', '/payments/1/refund', { token }), [403, 'FORBIDDEN']);
    await host.db.query("UPDATE users SET role = 'owner' WHERE username = 'binta'");
    assert.equal((await host.send('POST', '/payments/1/refund', { token })).status, 200);
  });

  it('disabling an account ends its token at once', async () => {
    const token = await host.logIn('kofi', passwordOf('kofi'));
    assert.equal((await host.send('GET', '/auth/me', { token })).status, 200);
    await host.db.query("UPDATE users SET status = 'disabled' WHERE username = 'kofi'");
    assert.deepEqual(await refusalOf('GET', '/auth/me', { token }), [401, 'UNAUTHORIZED']);
    await host.db.query("UPDATE users SET status = 'active' WHERE username = 'kofi'");
  });

  it('tokens from before the migration are refused, so that clients log in again', async () => {
    const token = jwt.sign({ sub: '1' }, host.secret, { expiresIn: '12h' });
    assert.deepEqual(await refusalOf('GET', '/auth/me', { token }), [401, 'UNAUTHORIZED']);
  });

  it('too many wrong passwords are a new answer, in the format of the host', async () => {
    const guess = (username, password) => host.send('POST', '/auth/login', { json: { username, password } });
    for (let failures = 0; failures < 10; failures += 1) {
      assert.equal((await guess('sira', `guess-${failures}`)).status, 401);
    }
    const { status, headers, body } = await guess('SIRA', 'guess-2026');
    assert.equal(status, 429);
    assert.ok(Number(headers['retry-after']) > 0);
    assert.deepEqual(body.error, { code: 'TOO_MANY_REQUESTS', message: 'Too Many Requests' });
    assert.ok(await host.logIn('awa', passwordOf('awa')));
  });

  it('a foreign refercence_cl is a new refusal', async () => {
    const token = await host.logIn('awa', passwordOf('awa'));
    const json = { ...PAYMENT, refercence_cl: 'CNT-1002' };
    assert.deepEqual(await refusalOf('POST', '/payments', { token, json }), [403, 'FORBIDDEN']);
  });

  it('a body that the host does not parse is a new refusal of guarded routes', async () => {
    const token = await host.logIn('awa', passwordOf('awa'));
    const form = { token, body: new URLSearchParams({ merchantRef: 'BTQ-1001' }) };
    assert.deepEqual(await refusalOf('POST', '/payments', form), [415, 'UNSUPPORTED_MEDIA_TYPE']);
  });
});
