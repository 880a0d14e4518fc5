import { type StoreUnderTest, userStoreContract } from 'express-merchant-auth/testing';
import { ShopStore } from './shop-store';

async function createStore(): Promise<StoreUnderTest> {
  const store = new ShopStore();
  return {
    store,
    seed: async (accounts) => {
      for (const { passwordHash, ...account } of accounts) store.insert({ ...account, shop: 'Boutique' }, passwordHash);
    },
    close: async () => undefined,
  };
}

for (const { name, run } of userStoreContract(createStore)) test(name, run);
