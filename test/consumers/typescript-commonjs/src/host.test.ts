import { createTokens } from 'express-merchant-auth';
import { auditRoutes, authContract } from 'express-merchant-auth/testing';
import { createApp } from './app';
import { ShopStore } from './shop-store';

process.env.JWT_SECRET = 'the secret of this host, which has 32 bytes or more';

const AWA = { id: '1', email: 'awa@boutique.example', phone: '', disabled: false, shop: 'Boutique Awa' };

async function createHost() {
  const store = new ShopStore();
  await store.add({ ...AWA, marchand: { referencl: 'BTQ-1001', statut: 1 } }, 'baobab-2026');
  return {
    app: createApp(store, () => undefined),
    tokens: createTokens(),
    merchant: { email: AWA.email, password: 'baobab-2026', referencl: 'BTQ-1001' },
    transactions: { body: (refercence_cl: string | undefined) => ({ refercence_cl, amount: 500 }) },
  };
}

test('no route is reachable without a guard', async () => {
  const audit = auditRoutes((await createHost()).app);
  expect(audit.findings).toEqual([]);
  expect(audit.routes).toContainEqual({
    method: 'POST',
    path: '/v1/transactions',
    guard: 'bearer',
    account: true,
    reference: 'demanded',
  });
});

for (const { name, run } of authContract(createHost)) test(name, run);
