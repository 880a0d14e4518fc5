import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTokens, InMemoryUserStore } from 'express-merchant-auth';
import { auditRoutes, authContract } from 'express-merchant-auth/testing';
import { createWithModule, createWithUse, OpenModule } from './build/app.js';
import { AWA, casesOf, listen, send } from '../shared/cases.cjs';

const BROKEN_BODY = 'a body that is not JSON gets 400';

const createStore = () => new InMemoryUserStore([AWA]);
const expressAppOf = async (app) => {
  const nest = await app;
  await nest.init();
  return nest.getHttpAdapter().getInstance();
};

/** Sends a body with a good token to an app, and resolves to the answer. */
async function answerOf(app, body) {
  const server = await listen(await expressAppOf(app));
  try {
    return await send(server, '/v1/transactions', { body, token: createTokens().issue(AWA) });
  } finally {
    server.close();
  }
}

for (const { name, run } of casesOf(() => expressAppOf(createWithUse(createStore())))) {
  test(`with app.use, ${name}`, run);
}

for (const { name, run } of casesOf(() => expressAppOf(createWithModule(createStore())))) {
  if (name !== BROKEN_BODY) test(`with consumer.apply, ${name}`, run);
}

test('with consumer.apply, NestJS reads the body first and answers one that is not JSON', async () => {
  const { status, body } = await answerOf(createWithModule(createStore()), '{"amount":');
  assert.deepEqual([status, body.statusCode, body.error], [400, 400, 'Bad Request']);
});

test('auditRoutes finds that the routes are not mounted before init, and an open route after it', async () => {
  const nest = await createWithUse(createStore(), OpenModule);
  const app = nest.getHttpAdapter().getInstance();
  assert.deepEqual(auditRoutes(app).findings, ['the app: no route except the login']);
  assert.deepEqual(auditRoutes(await expressAppOf(nest)).findings, ['GET /admin: no guard']);
});

test('a merchant reads its own balance, and not that of another one', async () => {
  const server = await listen(await expressAppOf(createWithUse(createStore())));
  try {
    const token = createTokens().issue(AWA);
    const read = async (reference) =>
      (await send(server, `/v1/merchants/${reference}/balance`, { method: 'GET', token })).status;
    assert.deepEqual([await read('BTQ-1001'), await read('CNT-1002')], [200, 403]);
  } finally {
    server.close();
  }
});

const host = {
  merchant: { email: AWA.email, password: AWA.password, referencl: 'BTQ-1001' },
  transactions: { body: (refercence_cl) => ({ refercence_cl, amount: 500 }) },
};
const apps = async () => ({ ...host, app: await expressAppOf(createWithUse(createStore())) });
for (const { name, run } of authContract(apps)) test(name, run);

test('authContract refuses the app of NestJS itself, and says what to give', async () => {
  const [first] = authContract(async () => ({ ...host, app: await createWithUse(createStore()) }));
  await assert.rejects(first.run(), {
    name: 'TypeError',
    message: 'authContract: app must be the Express app. In NestJS: app.getHttpAdapter().getInstance().',
  });
});
