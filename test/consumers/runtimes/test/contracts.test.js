import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InMemoryUserStore } from 'express-merchant-auth';
import { auditRoutes, authContract } from 'express-merchant-auth-audit';
import { userStoreContract } from 'express-merchant-auth/testing';
import { AWA, createApp, FERMEE, KOFI, tokens } from './host.js';

const asMerchant = ({ email, password, marchand }) => ({ email, password, referencl: marchand.referencl });

test('no route is reachable without a guard', async () => {
  assert.deepEqual((await auditRoutes(createApp())).findings, []);
});

const body = (refercence_cl) => ({ refercence_cl, amount: 500 });
const cases = authContract(async () => ({
  app: createApp(),
  tokens,
  merchant: asMerchant(AWA),
  otherMerchant: asMerchant(KOFI),
  disabledMerchant: asMerchant(FERMEE),
  transactions: { body },
  resources: [
    {
      read: 'GET /v1/transactions/:id',
      create: async (as) => ({ id: (await as.send('POST /v1/transactions', body(as.referencl))).id }),
    },
  ],
}));
for (const { name, run } of cases) test(name, run);

const storeCases = userStoreContract(async () => {
  const store = new InMemoryUserStore();
  return { store, seed: async (accounts) => accounts.forEach((account) => store.put(account)) };
});
for (const { name, run } of storeCases) test(`InMemoryUserStore: ${name}`, run);
