'use strict';

const assert = require('node:assert/strict');
const { before, it } = require('node:test');
const bcrypt = require('bcryptjs');
const { withHost } = require('./hosts');
const { addUsers, passwordOf } = require('./users');

const PAYMENT = { merchantRef: 'BTQ-1001', amount: 500, currency: 'XOF' };

withHost('after', (host) => {
  let users;

  before(async () => {
    await addUsers(host);
    users = host.load('models/users');
  });

  const refusalOf = async (...request) => {
    const { status, body } = await host.send(...request);
    return [status, body.error.code];
  };

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
});
