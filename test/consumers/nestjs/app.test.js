import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTokens, InMemoryUserStore } from 'express-merchant-auth';
import { auditRoutes, authContract } from 'express-merchant-auth/testing';
import { createHost, OpenModule } from './build/app.js';
import { AWA, casesOf, listen, send } from '../shared/cases.cjs';

const createStore = () => new InMemoryUserStore([AWA]);
const expressAppOf = async (app) => {
  const nest = await app;
  await nest.init();
  return nest.getHttpAdapter().getInstance();
};

for (const { name, run } of casesOf(() => expressAppOf(createHost(createStore())))) test(name, run);

test('auditRoutes finds that the routes are not mounted before init, and an open route after it', async () => {
  const nest = await createHost(createStore(), OpenModule);
  const app = nest.getHttpAdapter().getInstance();
  assert.deepEqual(auditRoutes(app).findings, ['the app: no route except the login']);
  assert.deepEqual(auditRoutes(await expressAppOf(nest)).findings, ['GET /admin: no guard']);
});

test('a merchant reads its own balance, and not that of another one', async () => {
  const server = await listen(await expressAppOf(createHost(createStore())));
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
const apps = async () => ({ ...host, app: await expressAppOf(createHost(createStore())) });
for (const { name, run } of authContract(apps)) test(name, run);

test('authContract refuses the app of NestJS itself, and says what to give', async () => {
  const [first] = authContract(async () => ({ ...host, app: await createHost(createStore()) }));
  await assert.rejects(first.run(), {
    name: 'TypeError',
    message: 'authContract: app must be the Express app. In NestJS: app.getHttpAdapter().getInstance().',
  });
});
