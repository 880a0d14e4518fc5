import { expect } from 'chai';
import { openStores, type Stores } from '../../../example-app/src/stores/open-stores.js';
import { InMemoryTransactionStore } from '../../../example-app/src/transactions/in-memory-transaction-store.js';
import type { TransactionStore } from '../../../example-app/src/transactions/transaction.js';
import { expectError } from '../../helpers/answers.js';
import { withMysql, withPostgres } from '../../helpers/databases.js';
import type { Answer } from '../../helpers/http.js';
import { serveApp, type ServedApp } from '../serve-app.js';

const AT_ONCE = 50;
const BODY = { refercence_cl: 'BTQ-1001', merchant_transaction_id: 'order-17', amount: 2500, currency: 'XOF' };
const OF_KOFI = { ...BODY, refercence_cl: 'CNT-1002' };

type OpenStore = () => Promise<TransactionStore>;

/** Runs a suite on the transaction store of each kind. */
function onEachTransactionStore(title: string, suite: (openStore: OpenStore) => void): void {
  describe(`${title} (memory)`, () => suite(() => Promise.resolve(new InMemoryTransactionStore())));
  for (const [name, kind, withDatabase] of [
    ['PostgreSQL', 'postgres', withPostgres],
    ['MariaDB or MySQL', 'mysql', withMysql],
  ] as const) {
    withDatabase(`${title} (${name})`, (database) => {
      let stores: Stores | undefined;
      afterEach('close the store', () => stores?.close());
      suite(async () => {
        stores = await openStores({ kind, url: database.url, seedDemo: false }, () => undefined);
        await database.query('DELETE FROM transactions');
        return stores.transactionStore;
      });
    });
  }
}

function expectConflict(answer: Answer): void {
  const message = 'merchant_transaction_id already used';
  const description =
    'You sent this merchant_transaction_id before, with another body. Use a new one for a new transaction.';
  expectError(answer, { code: 409, error: 'transaction_conflict', message, description });
}

const transactionOf = (answer: Answer) => (answer.json as { transaction: { id: string } }).transaction;

onEachTransactionStore('example-app: a repeated merchant_transaction_id', (openStore) => {
  let app: ServedApp;

  const create = (body: object, headers = app.awa) => app.client.send('POST', '/v1/transactions', { headers, body });

  async function listed(headers = app.awa): Promise<unknown> {
    const answer = await app.client.send('GET', '/v1/transactions', { headers });
    return (answer.json as { transactions: unknown }).transactions;
  }

  beforeEach('serve the app', async () => {
    app = await serveApp({ transactionStore: await openStore() });
  });

  it('with the same body is answered 200 with the stored transaction', async () => {
    const first = await create(BODY);
    expect(first.status).to.equal(201);
    const transaction = transactionOf(first);
    const again = await create({ ...BODY, note: 'members that are not known do not count' });
    expect(again.status).to.equal(200);
    expect(again.json).to.deep.equal({
      status: 'INITIATED',
      success: true,
      code: 200,
      message: 'Transaction found',
      transaction,
    });
    expect(again.headers.location).to.equal(`/v1/transactions/${transaction.id}`);
    expect(await listed()).to.deep.equal([transaction]);
  });

  for (const [member, value] of [
    ['amount', 2501],
    ['currency', 'XAF'],
  ] as const) {
    it(`with another ${member} is answered 409, and changes nothing`, async () => {
      const transaction = transactionOf(await create(BODY));
      expectConflict(await create({ ...BODY, [member]: value }));
      expect(await listed()).to.deep.equal([transaction]);
    });
  }

  it('is another transaction when another merchant sends it', async () => {
    const ofAwa = transactionOf(await create(BODY));
    const ofKofi = await create({ ...OF_KOFI, amount: 1 }, app.kofi);
    expect(ofKofi.status).to.equal(201);
    expect(await listed()).to.deep.equal([ofAwa]);
    expect(await listed(app.kofi)).to.deep.equal([transactionOf(ofKofi)]);
  });

  it('is compared exactly', async () => {
    for (const merchant_transaction_id of ['order-17', 'Order-17', 'order-17 ', 'ordér-17']) {
      expect((await create({ ...BODY, merchant_transaction_id })).status).to.equal(201);
    }
  });

  it(`is stored once when ${AT_ONCE} come at once`, async () => {
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => create(BODY)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).to.deep.equal([...Array<number>(AT_ONCE - 1).fill(200), 201]);
    const [transaction] = answers.map(transactionOf);
    for (const answer of answers) expect(transactionOf(answer)).to.deep.equal(transaction);
    expect(await listed()).to.deep.equal([transaction]);
  });

  it(`is stored once when ${AT_ONCE} come at once with two bodies`, async () => {
    const bodies = Array.from({ length: AT_ONCE }, (_, index) => ({ ...BODY, amount: 1 + (index % 2) }));
    const answers = await Promise.all(bodies.map((body) => create(body)));
    const created = answers.filter(({ status }) => status === 201);
    expect(created).to.have.length(1);
    expect(answers.filter(({ status }) => status === 200)).to.have.length(AT_ONCE / 2 - 1);
    const conflicts = answers.filter(({ status }) => status === 409);
    expect(conflicts).to.have.length(AT_ONCE / 2);
    conflicts.forEach(expectConflict);
    expect(await listed()).to.deep.equal(created.map(transactionOf));
  });
});
