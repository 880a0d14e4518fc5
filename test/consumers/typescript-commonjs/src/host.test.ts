import { createTokens, InMemoryUserStore } from 'express-merchant-auth';
import { auditRoutes, authContract } from 'express-merchant-auth-audit';
import { type StoreUnderTest, userStoreContract } from 'express-merchant-auth/testing';
import { createApp } from './app';

process.env.JWT_SECRET = 'the secret of this host, which has 32 bytes or more';

const MARCHAND = { referencl: 'BTQ-1001' };
const LOGIN = { email: 'awa@boutique.example', password: 'baobab-2026' };

const createHost = async () => ({
  app: createApp(new InMemoryUserStore([{ ...LOGIN, marchand: MARCHAND }])),
  tokens: createTokens(),
  merchant: { ...LOGIN, referencl: MARCHAND.referencl },
  transactions: { body: (refercence_cl: string | undefined) => ({ refercence_cl, amount: 500 }) },
  leaveOut: { 'each route behind a guard is covered, swept, refused or left out': 'It keeps no rows.' },
});

async function createStore(): Promise<StoreUnderTest> {
  const store = new InMemoryUserStore();
  return { store, seed: async (accounts) => accounts.forEach((account) => store.put(account)) };
}

test('no route is reached without a token', async () => {
  const audit = await auditRoutes((await createHost()).app);
  expect(audit.findings).toEqual([]);
  expect(audit.routes).toContainEqual({
    method: 'POST',
    path: '/v1/transactions',
    verdict: 'refused',
    status: 401,
    by: 'requireBearerMiddleware',
    request: 'POST /v1/transactions',
    account: true,
    reference: 'own',
  });
});

for (const { name, run } of [...authContract(createHost), ...userStoreContract(createStore)]) test(name, run);
