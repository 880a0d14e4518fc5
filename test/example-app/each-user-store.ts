import { InMemoryUserStore } from 'express-merchant-auth';
import { openStores } from '../../example-app/src/stores/open-stores.js';
import { InMemoryTransactionStore } from '../../example-app/src/transactions/in-memory-transaction-store.js';
import type { TransactionStore } from '../../example-app/src/transactions/transaction.js';
import type { SeedAccount, StoreUnderTest } from '../../src/testing/index.js';
import { onEachDatabase, type TestDatabase } from '../helpers/databases.js';

/** The stores of the example app without accounts and transactions, for one test. */
export interface OpenUserStore extends StoreUnderTest {
  readonly transactionStore: TransactionStore;
}

export type CreateStore = () => Promise<OpenUserStore>;

/** Runs a suite on the stores in memory and in each database. Without its database, a suite is skipped. */
export function onEachUserStore(title: string, suite: (createStore: CreateStore) => void): void {
  describe(`${title} (memory)`, () => suite(openInMemory));
  onEachDatabase(title, (database) => suite(() => openIn(database)));
}

function openInMemory(): Promise<OpenUserStore> {
  const store = new InMemoryUserStore();
  return Promise.resolve({
    store,
    transactionStore: new InMemoryTransactionStore(),
    seed: (accounts) => Promise.resolve().then(() => accounts.forEach((account) => store.put(account))),
    close: () => Promise.resolve(),
  });
}

async function openIn(database: TestDatabase): Promise<OpenUserStore> {
  const { kind, url } = database;
  const stores = await openStores({ kind, url, seedDemo: false }, () => undefined);
  for (const table of ['merchants', 'transactions']) await database.query(`DELETE FROM ${table}`);
  const seed = async (accounts: readonly SeedAccount[]) => {
    for (const { id, email, phone, passwordHash, marchand, disabled, tokensValidAfter = null } of accounts) {
      await database.query(
        'INSERT INTO merchants (id, email, phone, password_hash, referencl, statut, disabled, tokens_valid_after) ' +
          'VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
        [id, email, phone, passwordHash, marchand.referencl, marchand.statut, disabled, tokensValidAfter],
      );
    }
  };
  return { ...stores, store: stores.userStore, seed };
}
