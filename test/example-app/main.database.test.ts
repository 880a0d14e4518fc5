import { expect } from 'chai';
import {
  expectError,
  expectForeignReference,
  expectRevokedToken,
  expectStoreUnavailable,
  expectWrongCredentials,
} from '../helpers/answers.js';
import { onEachDatabase } from '../helpers/databases.js';
import { bearer } from '../helpers/http.js';
import { startTcpProxy } from '../helpers/tcp-proxy.js';
import { printedBy, spawnApp, startApp, type StartedApp } from './app-process.js';

const AWA = { email: 'awa@boutique.example', password: 'baobab-2026' };
const TRANSACTION = {
  refercence_cl: 'BTQ-1001',
  merchant_transaction_id: 'order-17',
  amount: Number.MAX_SAFE_INTEGER,
  currency: 'XOF',
};

type Headers = Readonly<Record<string, string>>;

async function logIn({ client }: StartedApp): Promise<Headers> {
  const answer = await client.send('POST', '/v1/login', { body: AWA });
  expect(answer.status).to.equal(200);
  return bearer((answer.json as { authorisation: { token: string } }).authorisation.token);
}

async function createTransaction({ client }: StartedApp, headers: Headers): Promise<unknown> {
  const answer = await client.send('POST', '/v1/transactions', { headers, body: TRANSACTION });
  expect(answer.status).to.equal(201);
  return (answer.json as { transaction: unknown }).transaction;
}

async function listTransactions({ client }: StartedApp, headers: Headers): Promise<unknown> {
  const answer = await client.send('GET', '/v1/transactions', { headers });
  expect(answer.status).to.equal(200);
  return (answer.json as { transactions: unknown }).transactions;
}

async function stop({ child, ending, port }: StartedApp, firstCall?: string): Promise<void> {
  child.kill('SIGTERM');
  expect(await ending).to.deep.equal({
    code: 0,
    signal: null,
    stdout: printedBy(port, 'SIGTERM', firstCall),
    stderr: '',
  });
}

onEachDatabase('example-app: the process over a database', (database) => {
  beforeEach('forget what other tests did', async () => {
    for (const table of ['merchants', 'transactions', 'applied_migrations']) {
      await database.query(`DROP TABLE IF EXISTS ${table}`);
    }
  });

  const withDemo = { DATABASE_URL: database.url, SEED_DEMO: '1' };

  it('starts twice at once on an empty database, and both processes serve the same data', async () => {
    const [one, other] = await Promise.all([startApp(withDemo), startApp(withDemo)]);
    const awa = await logIn(one);
    const transaction = await createTransaction(other, awa);
    expect(transaction).to.deep.include(TRANSACTION);
    expect(await listTransactions(one, awa)).to.deep.equal([transaction]);

    const foreign = { ...TRANSACTION, refercence_cl: 'CNT-1002' };
    expectForeignReference(await one.client.send('POST', '/v1/transactions', { headers: awa, body: foreign }));
    await Promise.all([stop(one), stop(other)]);

    const later = await startApp({ DATABASE_URL: database.url });
    expect(await listTransactions(later, awa)).to.deep.equal([transaction]);
    await database.query('UPDATE merchants SET disabled = true WHERE email = ?', [AWA.email]);
    expectRevokedToken(await later.client.send('GET', '/v1/transactions', { headers: awa }));
    await stop(later, 'Try: curl -s {url}/readyz');
  });

  it('has no demo accounts without SEED_DEMO', async () => {
    const app = await startApp({ DATABASE_URL: database.url });
    expectWrongCredentials(await app.client.send('POST', '/v1/login', { body: AWA }));
    expect((await app.client.send('GET', '/')).text).not.to.include(AWA.password);
    expect((await app.client.send('GET', '/openapi.json')).text).not.to.include(AWA.password);
  });

  it('shows the demo accounts with SEED_DEMO=1', async () => {
    const app = await startApp(withDemo);
    expect((await app.client.send('GET', '/')).text).to.include(AWA.password);
    expect((await app.client.send('GET', '/openapi.json')).text).to.include(AWA.password);
  });

  it('answers 503 while the database hangs, and as before when it is back', async () => {
    const proxy = await startTcpProxy(database);
    const app = await startApp({ ...withDemo, DATABASE_URL: database.urlThrough(proxy.port) });
    const awa = await logIn(app);
    proxy.hang();
    const [login, list] = await Promise.all([
      app.client.send('POST', '/v1/login', { body: AWA }),
      app.client.send('GET', '/v1/transactions', { headers: awa }),
    ]);
    expectStoreUnavailable(login);
    expectStoreUnavailable(list);
    await proxy.restore();
    while ((await app.client.send('GET', '/v1/transactions', { headers: awa })).status === 503);
    await createTransaction(app, await logIn(app));
    app.child.kill('SIGTERM');
    const { code, stderr } = await app.ending;
    expect(code).to.equal(0);
    const line =
      /^express-merchant-auth store_unavailable: UserStore\.(findById|findCredentials) failed\. Cause: [^\n]+$/m;
    expect(stderr).to.match(line);
    for (const secret of [AWA.password, awa['Authorization'] ?? '']) expect(stderr).not.to.include(secret);
  });

  it('answers 503 in the layout when the transactions cannot be reached', async () => {
    const app = await startApp(withDemo);
    const awa = await logIn(app);
    const unlock = await database.lockTable('transactions');
    try {
      const answer = await app.client.send('POST', '/v1/transactions', { headers: awa, body: TRANSACTION });
      const description = 'Transactions cannot be reached right now. Try again later.';
      const expected = {
        code: 503,
        error: 'transactions_unavailable',
        message: 'Transactions unavailable',
        description,
      };
      expectError(answer, expected, { 'retry-after': '5' });
    } finally {
      await unlock();
    }
    expect((await app.client.send('GET', '/v1/transactions', { headers: awa })).status).to.equal(200);
  });

  it('goes on when the server closes its connections', async () => {
    const app = await startApp(withDemo);
    const awa = await logIn(app);
    await database.endConnections();
    // The pool may notice an older connection's end only at its next use.
    while ((await app.client.send('GET', '/v1/transactions', { headers: awa })).status === 503);
    expect(await listTransactions(app, awa)).to.deep.equal([]);
    app.child.kill('SIGTERM');
    expect(await app.ending).to.include({ code: 0, signal: null });
  });

  it('exits with 0 on SIGTERM also while the database hangs', async () => {
    const proxy = await startTcpProxy(database);
    const app = await startApp({ ...withDemo, DATABASE_URL: database.urlThrough(proxy.port) });
    await logIn(app);
    proxy.hang();
    app.child.kill('SIGTERM');
    expect(await app.ending).to.include({ code: 0, signal: null });
  });

  for (const [what, fail] of [
    ['refuses connections', 'refuse'],
    ['hangs', 'hang'],
  ] as const) {
    it(`does not start when the database ${what}, and says so without the password`, async () => {
      const proxy = await startTcpProxy(database);
      await Promise.resolve(proxy[fail]());
      const url = new URL(database.urlThrough(proxy.port));
      url.password = 'geheim';
      const { code, stdout, stderr } = await spawnApp({ DATABASE_URL: url.href }).ending;
      expect(code).to.equal(1);
      expect(stdout).to.equal('');
      expect(stderr).to.match(/^Cannot start: The database of DATABASE_URL cannot be used: [^\n]+\n$/);
      expect(stderr).not.to.include('geheim');
    });
  }
});

describe('example-app: the process with a wrong DATABASE_URL', () => {
  it('says in one line what is wrong, without showing it, and exits with 1', async () => {
    const { code, stdout, stderr } = await spawnApp({ DATABASE_URL: 'mongodb://app:geheim@localhost/shop' }).ending;
    expect(code).to.equal(1);
    expect(stdout).to.equal('');
    expect(stderr).to.match(/^Cannot start: DATABASE_URL must be a URL like [^\n]+\n$/);
    expect(stderr).not.to.include('geheim');
  });
});
