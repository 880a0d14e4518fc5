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
