import { expect } from 'chai';
import { createConnection } from 'mysql2/promise';
import { expectError, expectStoreUnavailable } from '../helpers/answers.js';
import { onEachDatabase } from '../helpers/databases.js';
import type { Answer } from '../helpers/http.js';
import { startLoad } from '../helpers/load.js';
import { startTcpProxy, type TcpProxy } from '../helpers/tcp-proxy.js';
import { type AppProcess, startApp, type StartedApp } from './app-process.js';
import { AWA, create, idOf, list, logIn, tryLogIn } from './calls.js';

/** More callers than the pool has connections, so that every connection is in use. */
const CALLERS = 16;

/** The state of the database while a call runs. */
type Phase = 'here' | 'changing' | 'away';

/** Asserts the 503 of the login or the guard, or the 503 of a route behind the guard. */
function expectUnavailable(answer: Answer): void {
  if (answer.text.includes('Transactions')) expectTransactionsUnavailable(answer);
  else expectStoreUnavailable(answer);
}

function expectTransactionsUnavailable(answer: Answer): void {
  const description = 'Transactions cannot be reached right now. Try again later.';
  const expected = { code: 503, error: 'transactions_unavailable', message: 'Transactions unavailable', description };
  expectError(answer, expected, { 'retry-after': '5' });
}

/** Asserts that the process still runs, that it exits with 0, and that its log contains no password. */
async function expectGoodEnd({ child, ending }: AppProcess): Promise<void> {
  child.kill('SIGTERM');
  const { code, signal, stderr } = await ending;
  expect({ code, signal }).to.deep.equal({ code: 0, signal: null });
  expect(stderr).not.to.match(/unhandled|uncaught|MaxListeners/i);
  expect(stderr).not.to.include(AWA.password);
}

onEachDatabase('example-app: faults of the database', (database) => {
  let proxy: TcpProxy;
  let app: StartedApp;

  beforeEach('start the app with the database behind a proxy', async () => {
    proxy = await startTcpProxy(database);
    app = await startApp({ DATABASE_URL: database.urlThrough(proxy.port), SEED_DEMO: '1' });
  });

  /** Makes the PostgreSQL database read-only. Returns a function that makes it writable again. */
  async function makeReadOnly(): Promise<() => Promise<void>> {
    const name = new URL(database.url).pathname.slice(1);
    const set = async (value: 'on' | 'off') => {
      await database.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`);
      await database.endConnections();
      // The pool may notice an older connection's end only at its next use.
      while ((await app.client.send('POST', '/v1/login', { body: AWA })).status === 503);
    };
    await set('on');
    return () => set('off');
  }

  /** Fills the table of transactions in MariaDB or MySQL. Returns a function that removes the limit again. */
  async function fillTransactions(): Promise<() => Promise<void>> {
    const sql = `INSERT INTO transactions (id, refercence_cl, merchant_transaction_id, amount, currency, created_at)
      VALUES (UUID(), 'CNT-1002', UUID(), 1, 'XOF', UTC_TIMESTAMP(3))`;
    await database.query('DELETE FROM transactions');
    const connection = await createConnection(database.url);
    try {
      await connection.query('SET SESSION max_heap_table_size = 16384');
      await connection.query('ALTER TABLE transactions ENGINE = MEMORY');
      let failure: unknown;
      while (failure === undefined) {
        failure = await connection.query(sql).then(
          () => undefined,
          (error: unknown) => error,
        );
      }
      expect(failure).to.include({ code: 'ER_RECORD_FILE_FULL' });
    } finally {
      await connection.end();
    }
    return async () => {
      await database.query('ALTER TABLE transactions ENGINE = InnoDB');
    };
  }

  /** Starts callers of every route. Each answer has to be one that the phase allows. */
  async function startCalls() {
    const { client } = app;
    const awa = await logIn(client);
    const id = idOf(await create(client, awa));
    let phase: Phase = 'here';
    let unavailable = 0;

    const kinds = [
      { send: () => tryLogIn(client, AWA), status: 200 },
      { send: () => create(client, awa), status: 201 },
      { send: () => client.send('GET', `/v1/transactions/${id}`, { headers: awa }), status: 200 },
      { send: () => client.send('GET', '/v1/transactions/none', { headers: awa }), status: 404 },
    ] as const;

    async function call(turn: number): Promise<void> {
      const { send, status } = kinds[turn % kinds.length] ?? kinds[0];
      const before = phase;
      const answer = await send();
      if (before === 'away' && phase === 'away') expectStoreUnavailable(answer);
      else if (answer.status === 503 && (before !== 'here' || phase !== 'here')) {
        expectUnavailable(answer);
      } else expect(answer.status, answer.text).to.equal(status);
      if (answer.status === 503) unavailable++;
    }

    return {
      ...startLoad(CALLERS, call),
      atOnce: (count: number) => Promise.all(Array.from({ length: count }, (_, turn) => call(turn))),
      enter(next: Phase) {
        phase = next;
        unavailable = 0;
      },
      unavailable: () => unavailable,
    };
  }

  /** Waits until more parallel calls than connections are all served, and asserts that this lasts. */
  async function expectRecovery(calls: Awaited<ReturnType<typeof startCalls>>): Promise<void> {
    await calls.stop();
    do {
      calls.enter('changing');
      await calls.atOnce(2 * CALLERS);
    } while (calls.unavailable() > 0);
    calls.enter('here');
    for (let time = 0; time < 3; time++) await calls.atOnce(2 * CALLERS);
  }

  // The hanging connections are never closed. If the pool kept them, it would stay full.
  for (const [what, fail, recover] of [
    ['refuses connections', 'refuse', 'restore'],
    ['hangs', 'hang', 'mute'],
  ] as const) {
    it(`answers 503 under load while the database ${what}, and as before when it is back`, async () => {
      const calls = await startCalls();
      await calls.more(2 * CALLERS);

      calls.enter('changing');
      await Promise.resolve(proxy[fail]());
      calls.enter('away');
      await calls.more(2 * CALLERS);
      expect(calls.unavailable()).to.be.at.least(CALLERS);

      calls.enter('changing');
      await Promise.resolve(proxy[recover]());
      await expectRecovery(calls);
      await expectGoodEnd(app);
    });
  }

  it('answers 503 to calls that an exhausted pool cannot serve, and as before when it can', async () => {
    const { client } = app;
    const awa = await logIn(client);
    const unlock = await database.lockTable('transactions');
    try {
      // One after the other, so many calls would exceed the timeout of this test.
      const answers = Promise.all(Array.from({ length: 8 * CALLERS }, () => create(client, awa)));
      expect((await client.send('GET', '/healthz')).status).to.equal(200);
      for (const answer of await answers) expectUnavailable(answer);
    } finally {
      await unlock();
    }
    const calls = await startCalls();
    await calls.more(2 * CALLERS);
    await calls.stop();
    await expectGoodEnd(app);
  });

  it('answers 503 to a write that a full or read-only database refuses, and all else as before', async () => {
    const { client } = app;
    const awa = await logIn(client);
    const restore = database.kind === 'postgres' ? await makeReadOnly() : await fillTransactions();
    try {
      expectTransactionsUnavailable(await create(client, awa));
      expect((await list(client, awa)).status).to.equal(200);
      await logIn(client);
    } finally {
      await restore();
    }
    expect((await create(client, awa)).status).to.equal(201);
    await expectGoodEnd(app);
  });

  it('answers 500 without any SQL when the database refuses a statement', async () => {
    const { client } = app;
    const awa = await logIn(client);
    await database.query('ALTER TABLE transactions RENAME TO transactions_elsewhere');
    try {
      const description = 'Something went wrong here. Try again later.';
      const expected = { code: 500, error: 'internal_error', message: 'Internal error', description };
      for (const answer of [await create(client, awa), await list(client, awa)]) expectError(answer, expected);
    } finally {
      await database.query('ALTER TABLE transactions_elsewhere RENAME TO transactions');
    }
    expect((await create(client, awa)).status).to.equal(201);
    await expectGoodEnd(app);
  });
});
