import { InMemoryUserStore, type UserStore } from 'express-merchant-auth';
import { demoAccounts } from '../demo-accounts.js';
import { messageOf } from '../message-of.js';
import { InMemoryTransactionStore } from '../transactions/in-memory-transaction-store.js';
import type { TransactionStore } from '../transactions/transaction.js';
import { migrateMysql } from './mysql/migrate.js';
import { createPool as createMysqlPool } from './mysql/pool.js';
import { MysqlTransactionStore } from './mysql/transaction-store.js';
import { MysqlUserStore } from './mysql/user-store.js';
import { migratePostgres } from './postgres/migrate.js';
import { createPool as createPostgresPool } from './postgres/pool.js';
import { PostgresTransactionStore } from './postgres/transaction-store.js';
import { PostgresUserStore } from './postgres/user-store.js';

/** A database that the stores can lie in. */
export interface DatabaseSettings {
  readonly kind: 'postgres' | 'mysql';
  /** Holds the password: it is in no message and no log. */
  readonly url: string;
  /** Whether the demo accounts are added. */
  readonly seedDemo: boolean;
}

export interface Stores {
  readonly userStore: UserStore;
  readonly transactionStore: TransactionStore;
  close(): Promise<void>;
}

type Open = (settings: DatabaseSettings, log: (text: string) => void) => Promise<Stores>;

const openers: Readonly<Record<DatabaseSettings['kind'], Open>> = {
  async postgres({ url, seedDemo }, log) {
    await migratePostgres(url, { seedDemo });
    const pool = createPostgresPool(url, log);
    return {
      userStore: new PostgresUserStore(pool),
      transactionStore: new PostgresTransactionStore(pool),
      close: () => pool.end(),
    };
  },
  async mysql({ url, seedDemo }) {
    await migrateMysql(url, { seedDemo });
    const pool = createMysqlPool(url);
    return {
      userStore: new MysqlUserStore(pool),
      transactionStore: new MysqlTransactionStore(pool),
      close: () => pool.end(),
    };
  },
};

/**
 * Opens the stores in a database, whose tables are made when they are missing.
 * @throws Error that says why the database cannot be used, without the URL
 */
export async function openStores(settings: DatabaseSettings, log: (text: string) => void): Promise<Stores> {
  try {
    return await openers[settings.kind](settings, log);
  } catch (error) {
    throw new Error(`The database of DATABASE_URL cannot be used: ${messageOf(error)}`, { cause: error });
  }
}

/** The stores of an app without a database: the demo accounts, and what this process was sent. */
export function inMemoryStores(): Stores {
  return {
    userStore: new InMemoryUserStore(demoAccounts),
    transactionStore: new InMemoryTransactionStore(),
    close: () => Promise.resolve(),
  };
}
