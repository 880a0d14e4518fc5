import { expect } from 'chai';
import { DatabaseUnavailable } from '../../../example-app/src/stores/database-unavailable.js';
import { createPool as createMysqlPool } from '../../../example-app/src/stores/mysql/pool.js';
import { MysqlTransactionStore } from '../../../example-app/src/stores/mysql/transaction-store.js';
import { MysqlUserStore } from '../../../example-app/src/stores/mysql/user-store.js';
import { openStores, type Stores } from '../../../example-app/src/stores/open-stores.js';
import { createPool as createPostgresPool } from '../../../example-app/src/stores/postgres/pool.js';
import { PostgresTransactionStore } from '../../../example-app/src/stores/postgres/transaction-store.js';
import { PostgresUserStore } from '../../../example-app/src/stores/postgres/user-store.js';
import type { Transaction } from '../../../example-app/src/transactions/transaction.js';
import { onEachDatabase } from '../../helpers/databases.js';
import { rejectionOf } from '../../helpers/thrown.js';
import { startTcpProxy } from '../../helpers/tcp-proxy.js';

const TRANSACTION: Transaction = {
  id: '00000000-0000-4000-8000-000000000001',
  status: 'INITIATED',
  refercence_cl: 'BTQ-1001',
  merchant_transaction_id: 'order-17 🥭',
  amount: 2500,
  currency: 'XOF',
  created_at: '2026-11-21T08:15:30.123Z',
};

type OpenedStores = Omit<Stores, 'close'>;

/** The codes of the errors that a full, read-only or exhausted database raises. */
const OUTAGES = {
  postgres: ['25006', '53000', '53100', '53200', '53300', '53400', '57014', '57P01', '57P02', '57P03', '58030'],
  mysql: [1021, 1026, 1037, 1041, 1114, 1203, 1205, 1226, 1290, 1792, 1836],
} as const;

/** Instants at the change of daylight saving time in New York: 01:30 twice, and an hour that does not exist. */
const INSTANTS = ['2026-11-01T05:30:00.001Z', '2026-11-01T06:30:00.999Z', '2026-03-08T02:30:00.500Z'];

onEachDatabase('example-app: openStores', (database) => {
  const open = new Set<Stores>();

  async function openWith({ url = database.url, seedDemo = false } = {}): Promise<Stores> {
    const stores = await openStores({ kind: database.kind, url, seedDemo }, () => undefined);
    open.add(stores);
    return stores;
  }

  /** Opens stores whose connections have an unusual time zone and date style. */
  async function openInForeignSessions(): Promise<OpenedStores> {
    await openWith({ seedDemo: true });
    if (database.kind === 'postgres') {
      const name = new URL(database.url).pathname.slice(1);
      await database.query(`ALTER DATABASE ${name} SET timezone = 'America/St_Johns'`);
      await database.query(`ALTER DATABASE ${name} SET datestyle = 'SQL, DMY'`);
      // The store adds its settings to the `options` of the URL and keeps the others.
      return openWith({ url: `${database.url}?options=-c%20search_path%3Dpublic` });
    }
    const pool = createMysqlPool(database.url);
    pool.on('connection', (connection) => void connection.query("SET time_zone = '-03:30'"));
    const stores = { userStore: new MysqlUserStore(pool), transactionStore: new MysqlTransactionStore(pool) };
    open.add({ ...stores, close: () => pool.end() });
    return stores;
  }

  async function expectExactInstants({ userStore, transactionStore }: OpenedStores): Promise<void> {
    for (const [index, instant] of INSTANTS.entries()) {
      await database.query('UPDATE merchants SET tokens_valid_after = ?', [new Date(instant)]);
      const found = await userStore.findCredentials('awa@boutique.example');
      expect(found?.account.tokensValidAfter?.toISOString()).to.equal(instant);
      const name = `order-${index}`;
      await transactionStore.add({ ...TRANSACTION, id: name, merchant_transaction_id: name, created_at: instant });
    }
    const listed = await transactionStore.list('BTQ-1001');
    expect(listed.map(({ created_at }) => created_at)).to.deep.equal(INSTANTS);
  }

  /** Makes every insert of a transaction fail with this error of the database. */
  async function raiseAtInsert(code: string | number): Promise<void> {
    if (database.kind === 'mysql') {
      const signal = `SIGNAL SQLSTATE '${code === 1792 ? '25006' : 'HY000'}' SET MYSQL_ERRNO = ${code}`;
      await database.query(`CREATE TRIGGER outage BEFORE INSERT ON transactions FOR EACH ROW ${signal}`);
      return;
    }
    const body = `BEGIN RAISE EXCEPTION 'raised by a test' USING ERRCODE = '${code}'; END`;
    await database.query(`CREATE OR REPLACE FUNCTION raise() RETURNS trigger LANGUAGE plpgsql AS $$ ${body} $$`);
    await database.query('CREATE TRIGGER outage BEFORE INSERT ON transactions FOR EACH ROW EXECUTE FUNCTION raise()');
  }

  /** Opens stores whose sessions cannot write. */
  function openReadOnly(): OpenedStores {
    if (database.kind === 'mysql') {
      const pool = createMysqlPool(database.url);
      pool.on('connection', (connection) => void connection.query('SET SESSION TRANSACTION READ ONLY'));
      const stores = { userStore: new MysqlUserStore(pool), transactionStore: new MysqlTransactionStore(pool) };
      open.add({ ...stores, close: () => pool.end() });
      return stores;
    }
    const url = `${database.url}?options=-c%20default_transaction_read_only%3Don`;
    const pool = createPostgresPool(url, () => undefined);
    const stores = { userStore: new PostgresUserStore(pool), transactionStore: new PostgresTransactionStore(pool) };
    open.add({ ...stores, close: () => pool.end() });
    return stores;
  }

  const countMerchants = async () => (await database.query('SELECT id FROM merchants')).length;

  beforeEach('start with an empty database', async () => {
    for (const table of ['merchants', 'transactions', 'applied_migrations']) {
      await database.query(`DROP TABLE IF EXISTS ${table}`);
    }
  });

  afterEach('close the stores', async () => {
    await Promise.all([...open].map((stores) => stores.close()));
    open.clear();
  });

  it('creates the tables once, and does not change them the next time', async () => {
    const first = await openWith();
    await first.transactionStore.add(TRANSACTION);
    const second = await openWith();
    expect(await second.transactionStore.list('BTQ-1001')).to.deep.equal([TRANSACTION]);
    expect(await database.query('SELECT name FROM applied_migrations ORDER BY name')).to.deep.equal([
      { name: '001-merchants.sql' },
      { name: '002-transactions.sql' },
      { name: '003-transaction-states.sql' },
    ]);
  });

  it('runs its migrations again after a start that failed between them, and keeps the rows', async () => {
    const first = await openWith();
    await first.transactionStore.add(TRANSACTION);
    await database.query('DELETE FROM applied_migrations');
    const second = await openWith();
    expect(await second.transactionStore.list('BTQ-1001')).to.deep.equal([TRANSACTION]);
  });

  it('migrates one after the other when many start at once', async () => {
    await Promise.all(Array.from({ length: 8 }, () => openWith({ seedDemo: true })));
    expect(await countMerchants()).to.equal(3);
  });

  it('adds no account without seedDemo', async () => {
    await openWith();
    expect(await countMerchants()).to.equal(0);
  });

  it('adds the demo accounts with hashes, and the next account gets a free id', async () => {
    const { userStore } = await openWith({ seedDemo: true });
    const found = await userStore.findCredentials('fermee@ancien.example');
    expect(found?.account).to.deep.include({
      phone: '+2250700000003',
      marchand: { referencl: 'ANC-1003', statut: 0 },
      disabled: true,
      tokensValidAfter: null,
    });
    expect(found?.passwordHash).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    await database.query(`INSERT INTO merchants (email, referencl, statut) VALUES ('new@shop.example', 'NEW-1', 1)`);
    expect(await countMerchants()).to.equal(4);
  });

  it('overwrites nothing with the demo accounts', async () => {
    await openWith({ seedDemo: true });
    await database.query(
      `UPDATE merchants SET password_hash = 'changed', disabled = true WHERE email = 'awa@boutique.example'`,
    );
    await database.query(`DELETE FROM merchants WHERE email = 'kofi@cantine.example'`);
    const { userStore } = await openWith({ seedDemo: true });
    const awa = await userStore.findCredentials('awa@boutique.example');
    expect(awa).to.deep.include({ passwordHash: 'changed' });
    expect(awa?.account.disabled).to.equal(true);
    expect(await userStore.findCredentials('kofi@cantine.example')).not.to.equal(null);
    expect(await countMerchants()).to.equal(3);
  });

  it('hides no other error of that insert', async () => {
    await openWith();
    await database.query('ALTER TABLE merchants ADD COLUMN country varchar(2) NOT NULL');
    await database.query('ALTER TABLE merchants DROP COLUMN statut');
    const error: unknown = await openWith({ seedDemo: true }).catch((reason: unknown) => reason);
    expect(String(error)).to.match(/^Error: The database of DATABASE_URL cannot be used: .*statut/);
  });

  it('finds an account without a password', async () => {
    const { userStore } = await openWith({ seedDemo: true });
    await database.query(`UPDATE merchants SET password_hash = NULL WHERE email = 'awa@boutique.example'`);
    expect(await userStore.findCredentials('awa@boutique.example')).to.deep.include({ passwordHash: null });
  });

  it('does not ask the database for a text that it cannot store', async () => {
    const stores = await openWith();
    await stores.close();
    open.clear();
    const { userStore, transactionStore } = stores;
    expect(await userStore.findById('1abc')).to.equal(null);
    expect(await userStore.findCredentials('awa\0@boutique.example')).to.equal(null);
    expect(await userStore.findCredentials('awa\uDC00@boutique.example')).to.equal(null);
    expect(await userStore.replacePasswordHash?.('01', 'a hash', 'another')).to.equal(false);
    expect(await transactionStore.find('BTQ-1001', 'a\0b')).to.equal(null);
    expect(await userStore.findById('1').catch((error: unknown) => error)).to.be.instanceOf(DatabaseUnavailable);
  });

  for (const TZ of ['America/New_York', 'Asia/Kolkata', 'UTC']) {
    it(`reads and writes instants exactly when the process is in ${TZ}`, async () => {
      const before = process.env['TZ'];
      process.env['TZ'] = TZ;
      try {
        await expectExactInstants(await openWith({ seedDemo: true }));
      } finally {
        if (before === undefined) Reflect.deleteProperty(process.env, 'TZ');
        else process.env['TZ'] = before;
      }
    });
  }

  it('reads and writes instants exactly when the sessions are in another time zone', async () => {
    await expectExactInstants(await openInForeignSessions());
  });

  it('reads the now of SQL as the current instant, in UTC if the column has no time zone', async () => {
    const { userStore } = await openInForeignSessions();
    const now = database.kind === 'postgres' ? 'now()' : 'UTC_TIMESTAMP(3)';
    await database.query(`UPDATE merchants SET tokens_valid_after = ${now}`);
    const found = await userStore.findCredentials('awa@boutique.example');
    // Clocks of machines differ by far less than an hour, the step of time zones.
    expect(found?.account.tokensValidAfter?.getTime()).to.be.within(Date.now() - 300_000, Date.now() + 300_000);
  });

  it('stores transactions exactly, and lists those of one merchant, oldest first', async () => {
    const { transactionStore } = await openWith();
    const transactions = ['b', 'a', 'c'].map((id, index) => ({
      ...TRANSACTION,
      id,
      merchant_transaction_id: `order-${id}`,
      amount: Number.MAX_SAFE_INTEGER - index,
    }));
    for (const transaction of transactions) await transactionStore.add(transaction);
    await transactionStore.add({ ...TRANSACTION, id: 'd', refercence_cl: 'btq-1001' });
    await transactionStore.add({ ...TRANSACTION, id: 'e', refercence_cl: 'BTQ-1001 ' });
    expect(await transactionStore.list('BTQ-1001')).to.deep.equal(transactions);
    expect(await transactionStore.list('CNT-1002')).to.deep.equal([]);
    expect(await transactionStore.find('BTQ-1001', 'a')).to.deep.equal(transactions[1]);
    for (const id of ['A', 'a ', 'd', 'e', '', '%', '\uFFFD'.repeat(300)]) {
      expect(await transactionStore.find('BTQ-1001', id), id).to.equal(null);
    }
  });

  it('passes on the error of a statement that the database refuses', async () => {
    const { transactionStore } = await openWith();
    await transactionStore.add(TRANSACTION);
    const sameId = { ...TRANSACTION, merchant_transaction_id: 'another' };
    const error: unknown = await transactionStore.add(sameId).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(Error).and.not.instanceOf(DatabaseUnavailable);
    expect(String(error)).to.match(/duplicate|Another transaction has the id/);
    expect(await transactionStore.list('BTQ-1001')).to.deep.equal([TRANSACTION]);
  });

  for (const code of OUTAGES[database.kind]) {
    it(`treats the error ${code} as an outage, and stores nothing`, async () => {
      const { transactionStore } = await openWith();
      await raiseAtInsert(code);
      const error = (await rejectionOf(transactionStore.add(TRANSACTION))) as Error;
      expect(error).to.be.instanceOf(DatabaseUnavailable);
      expect(error.cause).to.include(database.kind === 'postgres' ? { code } : { errno: code });
      expect(await transactionStore.list('BTQ-1001')).to.deep.equal([]);
    });
  }

  it('treats a write to a read-only database as an outage, and still reads from it', async () => {
    const { transactionStore } = await openWith({ seedDemo: true });
    await transactionStore.add(TRANSACTION);
    const readOnly = openReadOnly();
    const error = await rejectionOf(readOnly.transactionStore.add({ ...TRANSACTION, id: 'another' }));
    expect(error).to.be.instanceOf(DatabaseUnavailable);
    const replacing = readOnly.userStore.replacePasswordHash?.('1', 'a hash', 'another');
    expect(await rejectionOf(Promise.resolve(replacing))).to.be.instanceOf(DatabaseUnavailable);
    expect(await readOnly.transactionStore.list('BTQ-1001')).to.deep.equal([TRANSACTION]);
    expect(await readOnly.userStore.findById('1')).to.include({ email: 'awa@boutique.example' });
  });

  it('gives up queries that hang, and closes their connections', async () => {
    const { userStore, transactionStore } = await openWith({ seedDemo: true });
    const unlock = await database.lockTable('merchants');
    try {
      // One after the other, so many calls would exceed the timeout of this test.
      const lookups = Array.from({ length: 100 }, () => userStore.findById('1').catch((error: unknown) => error));
      for (const error of await Promise.all(lookups)) expect(error).to.be.instanceOf(DatabaseUnavailable);
      expect(await transactionStore.list('BTQ-1001')).to.deep.equal([]);
    } finally {
      await unlock();
    }
    expect(await userStore.findCredentials('awa@boutique.example')).not.to.equal(null);
  });

  it('recovers by itself after the database refused connections or hung', async () => {
    const proxy = await startTcpProxy(database);
    const { userStore } = await openWith({ url: database.urlThrough(proxy.port), seedDemo: true });
    const lookups = () =>
      Promise.all(Array.from({ length: 5 }, () => userStore.findById('1').catch((error: unknown) => error)));
    const found = await lookups();
    expect(found.map((account) => (account as { id: string }).id)).to.deep.equal(['1', '1', '1', '1', '1']);
    for (const failure of ['refuse', 'hang'] as const) {
      await Promise.resolve(proxy[failure]());
      for (const error of await lookups()) expect(error).to.be.instanceOf(DatabaseUnavailable);
      await proxy.restore();
      // The pool may notice an older connection's end only at its next use.
      while (!(await lookups()).every((account) => !(account instanceof Error)));
      expect(await lookups()).to.deep.equal(found);
    }
  });

  it('stores nothing of a transaction that was answered with a failure, however long its table is locked', async () => {
    const { transactionStore } = await openWith();
    const unlock = await database.lockRows('transactions');
    expect(await rejectionOf(transactionStore.add(TRANSACTION))).to.be.instanceOf(DatabaseUnavailable);
    await unlock();
    // A waiting INSERT would run before this new statement.
    await transactionStore.add({ ...TRANSACTION, id: 'another', merchant_transaction_id: 'another' });
    expect((await transactionStore.list('BTQ-1001')).map(({ id }) => id)).to.deep.equal(['another']);
  });

  it('treats an account as disabled for each value of the column except 0', async () => {
    const { userStore } = await openWith({ seedDemo: true });
    const email = 'awa@boutique.example';
    const value = database.kind === 'mysql' ? '2' : 'true';
    await database.query(`UPDATE merchants SET disabled = ${value} WHERE email = '${email}'`);
    expect((await userStore.findCredentials(email))?.account.disabled).to.equal(true);
  });
});
