import { expect } from 'chai';
import { DatabaseUnavailable } from '../../../example-app/src/stores/database-unavailable.js';
import { createPool as createMysqlPool } from '../../../example-app/src/stores/mysql/pool.js';
import { MysqlTransactionStore } from '../../../example-app/src/stores/mysql/transaction-store.js';
import { MysqlUserStore } from '../../../example-app/src/stores/mysql/user-store.js';
import { openStores, type Stores } from '../../../example-app/src/stores/open-stores.js';
import type { Transaction } from '../../../example-app/src/transactions/transaction.js';
import { onEachDatabase } from '../../helpers/databases.js';
import { startTcpProxy } from '../../helpers/tcp-proxy.js';
import { rejectionOf } from '../../helpers/thrown.js';
import { setVariable } from '../../helpers/variables.js';
import { ALL, AWA, TRANSACTION as BODY } from '../calls.js';

const TRANSACTION: Transaction = {
  ...BODY,
  id: '00000000-0000-4000-8000-000000000001',
  status: 'INITIATED',
  created_at: '2026-11-21T08:15:30.123Z',
};

/** The codes of the errors that a full, read-only or exhausted database raises. */
const OUTAGES = {
  postgres: ['25006', '53000', '53100', '53200', '53300', '53400', '57014', '57P01', '57P02', '57P03', '58030'],
  mysql: [1021, 1026, 1037, 1041, 1114, 1203, 1205, 1226, 1290, 1792, 1836],
} as const;

/** Instants at the change of daylight saving time in New York: 01:30 twice, and an hour that does not exist. */
const INSTANTS = ['2026-11-01T05:30:00.001Z', '2026-11-01T06:30:00.999Z', '2026-03-08T02:30:00.500Z'];

/** More lookups at once than the pool has connections. */
const LOOKUPS = 100;

onEachDatabase('example-app: openStores', (database) => {
  const open = new Set<Stores>();

  async function openWith({ url = database.url, seedDemo = false } = {}): Promise<Stores> {
    const stores = await openStores({ kind: database.kind, url, seedDemo }, () => undefined);
    open.add(stores);
    return stores;
  }

  /** Opens stores whose sessions have an unusual time zone and date style. */
  async function openInForeignSessions(): Promise<Stores> {
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
    const [userStore, transactionStore] = [new MysqlUserStore(pool), new MysqlTransactionStore(pool)];
    const stores = { userStore, transactionStore, close: () => pool.end() };
    open.add(stores);
    return stores;
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

  const countMerchants = async () => (await database.query('SELECT id FROM merchants')).length;

  /** Looks one account up many times at once, and returns the accounts and errors. */
  const lookUp = ({ userStore }: Stores) =>
    Promise.all(Array.from({ length: LOOKUPS }, () => userStore.findById('1').catch((error: unknown) => error)));

  async function expectOutage(stores: Stores): Promise<void> {
    for (const error of await lookUp(stores)) expect(error).to.be.instanceOf(DatabaseUnavailable);
  }

  /** Waits until the pool has replaced its broken connections. Each may be noticed only at its next use. */
  async function expectRecovery(stores: Stores): Promise<void> {
    for (let turn = 0; turn < 30 && (await lookUp(stores)).some((found) => found instanceof Error); turn++);
    for (const account of await lookUp(stores)) expect(account).to.include({ id: '1' });
  }

  beforeEach('start with an empty database', async () => {
    for (const table of ['merchants', 'transactions', 'applied_migrations']) {
      await database.query(`DROP TABLE IF EXISTS ${table}`);
    }
  });

  afterEach('close the stores', async () => {
    // A connection that still hangs makes `close` reject.
    await Promise.allSettled([...open].map((stores) => stores.close()));
    open.clear();
  });

  it('creates the tables once, without accounts, and keeps the rows when the migrations run again', async () => {
    const { transactionStore } = await openWith();
    expect(await countMerchants()).to.equal(0);
    await transactionStore.add(TRANSACTION);
    const names = ['001-merchants.sql', '002-transactions.sql', '003-transaction-states.sql', '004-one-email.sql'];
    for (const sql of ['SELECT 1', 'DELETE FROM applied_migrations']) {
      await database.query(sql);
      await openWith();
      expect(await transactionStore.list('BTQ-1001', ALL)).to.deep.equal([TRANSACTION]);
      const applied = await database.query('SELECT name FROM applied_migrations ORDER BY name');
      expect(applied).to.deep.equal(names.map((name) => ({ name })));
    }
  });

  it('migrates and adds the demo accounts once when many start at once on an empty database', async () => {
    await Promise.all(Array.from({ length: 8 }, () => openWith({ seedDemo: true })));
    expect(await countMerchants()).to.equal(3);
    await database.query(`INSERT INTO merchants (email, referencl, statut) VALUES ('new@shop.example', 'NEW-1', 1)`);
    expect(await countMerchants()).to.equal(4);
  });

  it('keeps one account for each email in any letter case, and names the statement that finds the others', async () => {
    await openWith({ seedDemo: true });
    await database.query(`UPDATE merchants SET email = 'Awa@Boutique.example' WHERE email = ?`, [AWA.email]);
    await openWith({ seedDemo: true });
    expect(await countMerchants()).to.equal(3);
    const add = () =>
      database.query(`INSERT INTO merchants (email, referencl, statut) VALUES (?, 'BTQ-1001', 1)`, [AWA.email]);
    expect(String(await rejectionOf(add()))).to.match(/duplicate/i);

    const drop =
      database.kind === 'postgres' ? 'DROP INDEX merchants_email_once' : 'ALTER TABLE merchants DROP email_lower';
    await database.query(drop);
    await database.query(`DELETE FROM applied_migrations WHERE name = '004-one-email.sql'`);
    await add();
    const [, select = ''] = /Find them with (.+?),/.exec(String(await rejectionOf(openWith()))) ?? [];
    expect((await database.query(select)).map(Object.values)).to.deep.equal([[AWA.email]]);
    await database.query('DELETE FROM merchants WHERE email = ?', [AWA.email]);
    await openWith();
    expect(String(await rejectionOf(add()))).to.match(/duplicate/i);
  });

  it('overwrites nothing with the demo accounts', async () => {
    const { userStore } = await openWith({ seedDemo: true });
    await database.query(`UPDATE merchants SET password_hash = 'changed', disabled = true WHERE email = ?`, [
      AWA.email,
    ]);
    await database.query(`DELETE FROM merchants WHERE email = 'fermee@ancien.example'`);
    await openWith({ seedDemo: true });
    const awa = await userStore.findCredentials(AWA.email);
    expect(awa).to.deep.include({ passwordHash: 'changed' });
    expect(awa?.account.disabled).to.equal(true);
    const added = await userStore.findCredentials('fermee@ancien.example');
    expect(added?.account).to.deep.include({
      phone: '+2250700000003',
      marchand: { referencl: 'ANC-1003', statut: 0 },
      disabled: true,
      tokensValidAfter: null,
    });
    expect(added?.passwordHash).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('hides no other error of that insert', async () => {
    await openWith();
    await database.query('ALTER TABLE merchants DROP COLUMN statut');
    const error = await rejectionOf(openWith({ seedDemo: true }));
    expect(String(error)).to.match(/^Error: The database of DATABASE_URL cannot be used: .*statut/);
  });

  it('treats an account as disabled for each value of the column except 0', async () => {
    const { userStore } = await openWith({ seedDemo: true });
    await database.query(`UPDATE merchants SET disabled = ${database.kind === 'mysql' ? '2' : 'true'}`);
    expect((await userStore.findCredentials(AWA.email))?.account.disabled).to.equal(true);
  });

  it('replaces no hash for another spelling of an id', async () => {
    const { userStore } = await openWith({ seedDemo: true });
    const { account, passwordHash } = (await userStore.findCredentials(AWA.email)) ?? expect.fail();
    expect(await userStore.replacePasswordHash?.(`0${account.id}`, passwordHash ?? '', 'another')).to.equal(false);
  });

  it('reads and writes instants exactly, whatever the time zones of the process and of the session', async () => {
    setVariable('TZ', 'America/New_York');
    const { userStore, transactionStore } = await openInForeignSessions();
    for (const [index, instant] of INSTANTS.entries()) {
      await database.query('UPDATE merchants SET tokens_valid_after = ?', [new Date(instant)]);
      const found = await userStore.findCredentials(AWA.email);
      expect(found?.account.tokensValidAfter?.toISOString()).to.equal(instant);
      const id = `order-${index}`;
      await transactionStore.add({ ...TRANSACTION, id, merchant_transaction_id: id, created_at: instant });
    }
    const listed = await transactionStore.list('BTQ-1001', ALL);
    expect(listed.map(({ created_at }) => created_at)).to.deep.equal(INSTANTS);
    const now = database.kind === 'postgres' ? 'now()' : 'UTC_TIMESTAMP(3)';
    await database.query(`UPDATE merchants SET tokens_valid_after = ${now}`);
    const found = await userStore.findCredentials(AWA.email);
    // Clocks of machines differ by far less than an hour, the step of time zones.
    expect(found?.account.tokensValidAfter?.getTime()).to.be.within(Date.now() - 300_000, Date.now() + 300_000);
  });

  it('passes on the error of a statement that the database refuses', async () => {
    const { transactionStore } = await openWith();
    await transactionStore.add(TRANSACTION);
    const error = await rejectionOf(transactionStore.add({ ...TRANSACTION, merchant_transaction_id: 'another' }));
    expect(error).to.be.instanceOf(Error).and.not.instanceOf(DatabaseUnavailable);
    expect(String(error)).to.match(/duplicate|Another transaction has the id/);
    expect(await transactionStore.list('BTQ-1001', ALL)).to.deep.equal([TRANSACTION]);
  });

  it('treats each error of a full, read-only or exhausted database as an outage, and stores nothing', async () => {
    const { transactionStore } = await openWith();
    for (const code of OUTAGES[database.kind]) {
      await raiseAtInsert(code);
      const error = (await rejectionOf(transactionStore.add(TRANSACTION))) as Error;
      expect(error, String(code)).to.be.instanceOf(DatabaseUnavailable);
      expect(error.cause).to.include(database.kind === 'postgres' ? { code } : { errno: code });
      expect(await transactionStore.list('BTQ-1001', ALL)).to.deep.equal([]);
      await database.query(`DROP TRIGGER outage${database.kind === 'postgres' ? ' ON transactions' : ''}`);
    }
  });

  for (const fail of ['refuse', 'hang'] as const) {
    it(`does not open a database that ${fail}s connections, and says so without the password`, async () => {
      const proxy = await startTcpProxy(database);
      await Promise.resolve(proxy[fail]());
      const url = new URL(database.urlThrough(proxy.port));
      url.password = 'geheim';
      expect(String(await rejectionOf(openWith({ url: url.href }))))
        .to.match(/^Error: The database of DATABASE_URL cannot be used: [^\n]+$/)
        .and.not.include('geheim');
    });
  }

  it('gives up queries that hang, and closes their connections', async () => {
    const stores = await openWith({ seedDemo: true });
    const unlock = await database.lockTable('merchants');
    try {
      // One after the other, so many calls would exceed the timeout of this test.
      await expectOutage(stores);
      expect(await stores.transactionStore.list('BTQ-1001', ALL)).to.deep.equal([]);
    } finally {
      await unlock();
    }
    await expectRecovery(stores);
  });

  it('recovers by itself after the database refused connections, hung, or closed them', async () => {
    const proxy = await startTcpProxy(database);
    const stores = await openWith({ url: database.urlThrough(proxy.port), seedDemo: true });
    await expectRecovery(stores);
    for (const [fail, recover] of [
      ['refuse', 'restore'],
      // The hanging connections are never closed. If the pool kept them, it would stay full.
      ['hang', 'mute'],
    ] as const) {
      await Promise.resolve(proxy[fail]());
      const checked = rejectionOf(Promise.resolve(stores.check?.()));
      await expectOutage(stores);
      expect(await checked).to.be.instanceOf(DatabaseUnavailable);
      await Promise.resolve(proxy[recover]());
      await expectRecovery(stores);
      await stores.check?.();
    }
    await database.endConnections();
    await expectRecovery(stores);
  });

  it('stores nothing of a transaction that was answered with a failure, however long its table is locked', async () => {
    const { transactionStore } = await openWith();
    const unlock = await database.lockRows('transactions');
    expect(await rejectionOf(transactionStore.add(TRANSACTION))).to.be.instanceOf(DatabaseUnavailable);
    await unlock();
    // A waiting INSERT would run before this new statement.
    const another = { ...TRANSACTION, id: 'another', merchant_transaction_id: 'another' };
    await transactionStore.add(another);
    expect(await transactionStore.list('BTQ-1001', ALL)).to.deep.equal([another]);
  });
});
