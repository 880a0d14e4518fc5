import { InMemoryUserStore, type UserStore } from 'express-merchant-auth';
import { migrateMysql } from '../../example-app/src/stores/mysql/migrate.js';
import { createPool as createMysqlPool } from '../../example-app/src/stores/mysql/pool.js';
import { MysqlUserStore } from '../../example-app/src/stores/mysql/user-store.js';
import { migratePostgres } from '../../example-app/src/stores/postgres/migrate.js';
import { createPool as createPostgresPool } from '../../example-app/src/stores/postgres/pool.js';
import { PostgresUserStore } from '../../example-app/src/stores/postgres/user-store.js';
import type { SeedAccount, StoreUnderTest } from '../../src/testing/index.js';
import { type TestDatabase, withMysql, withPostgres } from '../helpers/databases.js';

/** A store for the contract that also has `replacePasswordHash`. */
export interface OpenUserStore extends StoreUnderTest {
  readonly store: UserStore & Required<Pick<UserStore, 'replacePasswordHash'>>;
}

/** Makes a store without accounts. */
export type CreateStore = () => Promise<OpenUserStore>;

type WithStore = (title: string, suite: (createStore: CreateStore) => void) => void;

/** The stores of the example app, each with the helper that provides its database. */
const userStores: readonly (readonly [name: string, withStore: WithStore])[] = [
  ['InMemoryUserStore', (title, suite) => describe(title, () => suite(openInMemory))],
  ['PostgresUserStore', (title, suite) => withPostgres(title, (database) => suite(() => openPostgres(database)))],
  ['MysqlUserStore', (title, suite) => withMysql(title, (database) => suite(() => openMysql(database)))],
];

/** Runs a suite on each of the three stores. Without its database, a store is skipped. */
export function onEachUserStore(title: string, suite: (createStore: CreateStore) => void): void {
  for (const [name, withStore] of userStores) withStore(`${title}: ${name}`, suite);
}

function openInMemory(): Promise<OpenUserStore> {
  const store = new InMemoryUserStore();
  return Promise.resolve({
    store,
    seed: (accounts) => Promise.resolve().then(() => accounts.forEach((account) => store.put(account))),
    close: () => Promise.resolve(),
  });
}

async function openPostgres(database: TestDatabase): Promise<OpenUserStore> {
  await migratePostgres(database.url, { seedDemo: false });
  const pool = createPostgresPool(database.url, () => undefined);
  return { store: new PostgresUserStore(pool), seed: await seedInto(database), close: () => pool.end() };
}

async function openMysql(database: TestDatabase): Promise<OpenUserStore> {
  await migrateMysql(database.url, { seedDemo: false });
  const pool = createMysqlPool(database.url);
  return { store: new MysqlUserStore(pool), seed: await seedInto(database), close: () => pool.end() };
}

async function seedInto(database: TestDatabase): Promise<OpenUserStore['seed']> {
  await database.query('DELETE FROM merchants');
  return async (accounts: readonly SeedAccount[]) => {
    for (const { id, email, phone, passwordHash, marchand, disabled, tokensValidAfter = null } of accounts) {
      await database.query(
        'INSERT INTO merchants (id, email, phone, password_hash, referencl, statut, disabled, tokens_valid_after) ' +
          'VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
        [id, email, phone, passwordHash, marchand.referencl, marchand.statut, disabled, tokensValidAfter],
      );
    }
  };
}
