import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTokens, InMemoryUserStore } from 'express-merchant-auth';
import { createWithModule, createWithUse } from './build/app.js';
import { AWA, casesOf, listen, send } from '../shared/cases.cjs';

const BROKEN_BODY = 'a body that is not JSON gets 400';

const createStore = () => new InMemoryUserStore([AWA]);
const listenerOf = async (app) => (await app).getHttpAdapter().getInstance();

/** Sends a body with a good token to an app, and resolves to the answer. */
async function answerOf(app, body) {
  const server = await listen(await listenerOf(app));
  try {
    return await send(server, '/v1/transactions', { body, token: createTokens().issue(AWA) });
  } finally {
    server.close();
  }
}

function storeInOutage() {
  const store = createStore();
  store.findById = () => Promise.reject(new Error('The database is down.'));
  return store;
}

for (const { name, run } of casesOf(() => listenerOf(createWithUse(createStore())))) {
  test(`with app.use, ${name}`, run);
}

for (const { name, run } of casesOf(() => listenerOf(createWithModule(createStore())))) {
  if (name !== BROKEN_BODY) test(`with consumer.apply, ${name}`, run);
}

test('with consumer.apply, NestJS reads the body first and answers one that is not JSON', async () => {
  const { status, body } = await answerOf(createWithModule(createStore()), '{"amount":');
  assert.deepEqual([status, body.statusCode, body.error], [400, 400, 'Bad Request']);
});

test('with app.use, an outage of the store is a 503 that says when to try again', async () => {
  const { status, headers, body } = await answerOf(createWithUse(storeInOutage()), '{}');
  assert.deepEqual([status, body.error], [503, 'store_unavailable']);
  assert.ok(Number(headers['retry-after']) > 0);
});

test('with consumer.apply, NestJS answers an outage of the store with its own 500', async () => {
  const { status, body } = await answerOf(createWithModule(storeInOutage()), '{}');
  assert.deepEqual([status, body], [500, { statusCode: 500, message: 'Internal server error' }]);
});
