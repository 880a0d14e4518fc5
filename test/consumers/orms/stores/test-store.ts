import { after, before, describe, it } from 'node:test';
import type { UserStore } from 'express-merchant-auth';
import { type StoreUnderTest, userStoreContract } from 'express-merchant-auth/testing';

const { DATABASE_URL, TEST_DATABASE_URL } = process.env;
if (!DATABASE_URL || DATABASE_URL !== TEST_DATABASE_URL) {
  throw new Error('The test empties the table. Set DATABASE_URL and TEST_DATABASE_URL to a database for tests.');
}

export interface Row {
  id: string;
  email: string;
  phone: string;
  passwordHash: string | null;
  referencl: string;
  statut: number;
  disabled: boolean;
  tokensValidAfter: Date | null;
}

export interface Table {
  create?(): unknown;
  clear(): PromiseLike<unknown>;
  /** Goes past the validation of the model, because the column is tested and not the model. */
  insert(row: Row): PromiseLike<unknown>;
  /** Closes the connection, because the process does not end otherwise. */
  close(): unknown;
}

/** Runs the contract kit over a store, without the cases of these names. */
export function testStore(store: UserStore, table: Table, leftOut: readonly string[] = []): void {
  const createStore = async (): Promise<StoreUnderTest> => {
    await table.clear();
    return {
      store,
      async seed(accounts) {
        for (const { marchand, tokensValidAfter = null, allowedSources, ...account } of accounts) {
          await table.insert({ ...account, ...marchand, tokensValidAfter });
        }
      },
    };
  };

  describe(store.constructor.name, () => {
    before(() => table.create?.());
    after(() => table.close());
    for (const { name, run } of userStoreContract(createStore)) if (!leftOut.includes(name)) it(name, run);
  });
}
