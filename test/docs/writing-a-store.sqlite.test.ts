import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import type { UserStore } from 'express-merchant-auth';
import { type SeedAccount, userStoreContract } from '../../src/testing/index.js';
import { AWA, PASSWORD_HASH } from '../helpers/accounts.js';
import { loadSnippet, readPage, writeSnippets } from '../helpers/snippets.js';
import { rejectionOf } from '../helpers/thrown.js';

const PAGE = 'docs/writing-a-store.md';

/** The part of `DatabaseSync` that is used here, because the types of Node.js 20 do not have it. */
interface Database {
  exec(sql: string): void;
  prepare(sql: string): { run(...values: (string | number | null)[]): unknown };
  close(): void;
}

interface Sqlite {
  readonly DatabaseSync: new (file: string) => Database;
}

const TABLE = `CREATE TABLE shops (
  id integer PRIMARY KEY,
  login text NOT NULL UNIQUE,
  mobile text,
  secret_hash text,
  code text NOT NULL,
  state integer NOT NULL,
  closed_at integer
)`;
const INSERT = 'INSERT INTO shops VALUES (CAST(? AS INTEGER), ?, ?, ?, ?, ?, ?, ?)';

/** Returns the statements of the page that begin like this. */
const statements = (start: string) => readPage(PAGE).match(new RegExp(`(?<=\`)${start}[^\`]*`, 'g')) ?? [];

/** Opens a file as the page says, or a new database in memory. */
function open({ DatabaseSync }: Sqlite, file = ':memory:') {
  const { SqliteShopStore } = loadSnippet('sqlite-store.ts', PAGE) as {
    SqliteShopStore: new (of: Database) => UserStore;
  };
  const database = new DatabaseSync(file);
  for (const sql of statements('PRAGMA ')) database.exec(sql);
  return { database, store: new SqliteShopStore(database) };
}

function insert(database: Database, accounts: readonly SeedAccount[]): Promise<void> {
  for (const { id, email, phone, passwordHash, marchand, disabled, tokensValidAfter } of accounts) {
    const { referencl, statut } = marchand;
    const times = [disabled ? Date.now() : null, tokensValidAfter?.getTime() ?? null];
    database.prepare(INSERT).run(id, email, phone, passwordHash, referencl, statut, ...times);
  }
  return Promise.resolve();
}

describe(`${PAGE}: the store over SQLite`, () => {
  const sqlite = process.getBuiltinModule('node:sqlite' as 'node:fs') as unknown as Sqlite | undefined;
  if (sqlite === undefined) {
    it.skip('passes the contract kit (needs node:sqlite of Node.js 22)');
    return;
  }

  before(() => void writeSnippets(PAGE));

  const createTable = (database: Database) => {
    for (const sql of [TABLE, ...statements('ALTER TABLE shops ADD logged_out_at integer')]) database.exec(sql);
  };

  const createStore = () => {
    const { database, store } = open(sqlite);
    createTable(database);
    return Promise.resolve({
      store,
      seed: (accounts: readonly SeedAccount[]) => insert(database, accounts),
      close() {
        database.close();
        return Promise.resolve();
      },
    });
  };
  for (const { name, run } of userStoreContract(createStore)) it(name, run);

  it('reads while another connection writes, and rejects a change then', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'sqlite-'));
    const file = path.join(folder, 'shops.db');
    const [one, other] = [open(sqlite, file), open(sqlite, file)];
    try {
      createTable(one.database);
      await insert(one.database, [{ ...AWA, id: '7', passwordHash: PASSWORD_HASH }]);
      other.database.exec('BEGIN IMMEDIATE');
      expect(await one.store.findById('7')).to.include({ id: '7', email: AWA.email });
      expect(await rejectionOf(one.store.replacePasswordHash?.('7', PASSWORD_HASH, 'next') ?? Promise.resolve()))
        .to.be.an('error')
        .with.property('message', 'database is locked');
    } finally {
      one.database.close();
      other.database.close();
      rmSync(folder, { recursive: true });
    }
  });
});
