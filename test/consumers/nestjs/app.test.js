import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTokens, InMemoryUserStore } from 'express-merchant-auth';
import { auditRoutes, authContract } from 'express-merchant-auth/testing';
import { createHost, OpenModule } from './build/app.js';
import { AWA, listen, send } from '../shared/cases.cjs';

const KOFI = {
  ...AWA,
  id: '2',
  email: 'kofi@cantine.example',
  password: 'calebasse-2026',
  marchand: { referencl: 'CNT-1002', statut: 1 },
};
const createStore = () => new InMemoryUserStore([AWA, KOFI]);
const expressAppOf = async (app) => {
  const nest = await app;
  await nest.init();
  return nest.getHttpAdapter().getInstance();
};

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
  tokens: createTokens(),
  merchant: { email: AWA.email, password: AWA.password, referencl: 'BTQ-1001' },
  otherMerchant: { email: KOFI.email, password: KOFI.password, referencl: 'CNT-1002' },
  transactions: { body: (refercence_cl) => ({ refercence_cl, amount: 500 }), idOf: ({ id }) => id },
  leaveOut: [
    { case: 'a path that cannot be decoded gets a refusal as JSON, without the path', reason: 'NestJS answers it.' },
  ],
};
const apps = async () => ({ ...host, app: await expressAppOf(createHost(createStore())) });
for (const { name, run } of authContract(apps)) test(name, run);
