import { InMemoryUserStore, type UserStore } from 'express-merchant-auth';
import { demoAccounts } from '../demo-accounts.js';
import { messageOf } from '../message-of.js';
import { InMemoryTransactionStore } from '../transactions/in-memory-transaction-store.js';
import type { TransactionStore } from '../transactions/transaction.js';
import { MerchantStore } from './merchant-store.js';
import { migrateMysql } from './mysql/migrate.js';
import { createPool as createMysqlPool, query as queryMysql } from './mysql/pool.js';
import { MysqlTransactionStore } from './mysql/transaction-store.js';
import { MysqlUserStore } from './mysql/user-store.js';
import { migratePostgres } from './postgres/migrate.js';
import { createPool as createPostgresPool, query as queryPostgres } from './postgres/pool.js';
import { PostgresTransactionStore } from './postgres/transaction-store.js';
import { PostgresUserStore } from './postgres/user-store.js';

/** The database for the stores. */
export interface DatabaseSettings {
  readonly kind: 'postgres' | 'mysql';
  /** Contains the password, so it must not appear in a message or a log. */
  readonly url: string;
  /** `true` adds the missing demo accounts. */
  readonly seedDemo: boolean;
}

export interface Stores {
  readonly userStore: UserStore;
  readonly transactionStore: TransactionStore;
  /** Resolves when the database has answered. Absent for stores in memory. */
  readonly check?: () => Promise<unknown>;
  close(): Promise<void>;
}

interface DatabaseStores extends Stores {
  readonly merchants: MerchantStore;
}

type Open = (settings: DatabaseSettings, log: (text: string) => void) => Promise<DatabaseStores>;

const openers: Readonly<Record<DatabaseSettings['kind'], Open>> = {
  async postgres({ url, seedDemo }, log) {
    await migratePostgres(url, { seedDemo });
    const pool = createPostgresPool(url, log);
    const [userStore, transactionStore] = [new PostgresUserStore(pool), new PostgresTransactionStore(pool)];
    const merchants = new MerchantStore((sql, values) => queryPostgres(pool, numbered(sql), values), 'now()');
    const check = () => queryPostgres(pool, 'SELECT 1', []);
    return { userStore, transactionStore, merchants, check, close: () => pool.end() };
  },
  async mysql({ url, seedDemo }) {
    await migrateMysql(url, { seedDemo });
    const pool = createMysqlPool(url);
    const [userStore, transactionStore] = [new MysqlUserStore(pool), new MysqlTransactionStore(pool)];
    const merchants = new MerchantStore((sql, values) => queryMysql(pool, sql, values), 'UTC_TIMESTAMP(3)');
    const check = () => queryMysql(pool, 'SELECT 1', []);
    return { userStore, transactionStore, merchants, check, close: () => pool.end() };
  },
};

/** Writes `$1`, `$2` and so on in place of each `?`. */
function numbered(sql: string): string {
  let number = 0;
  return sql.replaceAll('?', () => `$${++number}`);
}

/**
 * Migrates the database and opens the stores in it.
 * @throws Error that says why the database cannot be used, without the URL
 */
export async function openStores(settings: DatabaseSettings, log: (text: string) => void): Promise<DatabaseStores> {
  try {
    return await openers[settings.kind](settings, log);
  } catch (error) {
    throw new Error(`The database of DATABASE_URL cannot be used: ${messageOf(error)}`, { cause: error });
  }
}

/** Creates stores in memory, with the demo accounts and no transactions. */
export function inMemoryStores(): Stores {
  const [userStore, transactionStore] = [new InMemoryUserStore(demoAccounts), new InMemoryTransactionStore()];
  return { userStore, transactionStore, close: () => Promise.resolve() };
}
