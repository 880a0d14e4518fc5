import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { AuthError, createTokens, InMemoryUserStore } from 'express-merchant-auth';
import { createTestTokens, userStoreContract } from 'express-merchant-auth/testing';
import { createApp } from './app.js';

process.env.JWT_SECRET = 'the secret of this host, which has 32 bytes or more';

const AWA = {
  id: '1',
  email: 'awa@boutique.example',
  phone: '+2250700000001',
  marchand: { referencl: 'BTQ-1001', statut: 1 },
  disabled: false,
  password: 'baobab-2026',
};

/** @type {import('node:http').Server} */
let server;

before(async () => {
  server = createApp(new InMemoryUserStore([AWA])).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

after(() => server.close());

/**
 * @param {string} method
 * @param {string} path
 * @param {string} [token]
 * @param {object} [body]
 * @returns {Promise<{ status: number, body: any }>}
 */
async function send(method, path, token, body) {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const response = await fetch(`http://127.0.0.1:${port}/v1${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

async function logIn() {
  const { email, password } = AWA;
  const answer = await send('POST', '/login', undefined, { email, password });
  return answer.body.authorisation.token;
}

test('a merchant logs in and pays for its own reference', async () => {
  const answer = await send('POST', '/transactions', await logIn(), { refercence_cl: 'BTQ-1001', amount: 500 });
  assert.deepEqual(answer, { status: 201, body: { referencl: 'BTQ-1001', email: AWA.email, amount: 500 } });
});

test('a foreign reference is refused', async () => {
  const answer = await send('POST', '/transactions', await logIn(), { refercence_cl: 'CNT-1002', amount: 500 });
  assert.equal(answer.status, 403);
  assert.equal(answer.body.error, 'foreign_reference');
});

test('an AuthError that a handler throws is answered in the same layout', async () => {
  const answer = await send('GET', '/transactions/7', await logIn());
  assert.equal(answer.status, 403);
  const description = 'This refercence_cl is not yours. Send the marchand.referencl of your login.';
  assert.deepEqual([answer.body.message, answer.body.description], ['Not your refercence_cl', description]);
});

test('a missing token and a wrong password are refused', async () => {
  assert.equal((await send('GET', '/transactions/7')).body.error, 'missing_token');
  const login = await send('POST', '/login', undefined, { email: AWA.email, password: 'another-one' });
  assert.equal(login.status, 401);
  const description = 'The email or the password is wrong. Check both and log in again.';
  assert.deepEqual([login.body.message, login.body.description], ['Wrong email or password', description]);
});

test('tokens made for tests are let in and refused for the reason in their name', async () => {
  const tokens = createTestTokens(createTokens());
  assert.equal((await send('GET', '/transactions/7', tokens.forAccount(AWA))).status, 403);
  assert.equal((await send('GET', '/transactions/7', tokens.expired(AWA))).body.error, 'expired_token');
  assert.equal((await send('GET', '/transactions/7', tokens.tampered(AWA))).body.error, 'invalid_token');
});

for (const { name, run } of userStoreContract(async () => {
  const store = new InMemoryUserStore();
  return {
    store,
    seed: async (accounts) => accounts.forEach((account) => store.put(account)),
    close: async () => {},
  };
})) {
  test(name, run);
}

test('a token that is not one is an AuthError', () => {
  assert.throws(() => createTokens().verify('not a token'), AuthError);
});
