import { expect } from 'chai';
import { openStores } from '../../../example-app/src/stores/open-stores.js';
import { InMemoryTransactionStore } from '../../../example-app/src/transactions/in-memory-transaction-store.js';
import type { Transaction, TransactionStore } from '../../../example-app/src/transactions/transaction.js';
import { type SeedAccount, type StoreUnderTest, userStoreContract } from '../../../src/testing/index.js';
import { onEachDatabase, type TestDatabase } from '../../helpers/databases.js';
import { ALL, TRANSACTION } from '../calls.js';

/** The stores of the example app without accounts and transactions, for one test. */
interface OpenStores extends StoreUnderTest {
  readonly transactionStore: TransactionStore;
}

const AT_ONCE = 50;

function transaction(id: string, members: Partial<Transaction> = {}): Transaction {
  return { ...TRANSACTION, id, status: 'INITIATED', created_at: '2026-11-21T08:15:30.123Z', ...members };
}

async function openIn(database: TestDatabase): Promise<OpenStores> {
  const { kind, url } = database;
  const stores = await openStores({ kind, url, seedDemo: false }, () => undefined);
  for (const table of ['merchants', 'transactions']) await database.query(`DELETE FROM ${table}`);
  const seed = async (accounts: readonly SeedAccount[]) => {
    for (const { id, email, phone, passwordHash, marchand, disabled, tokensValidAfter = null } of accounts) {
      await database.query(
        'INSERT INTO merchants (id, email, phone, password_hash, referencl, statut, disabled, tokens_valid_after) ' +
          'VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
        [id, email, phone, passwordHash, marchand.referencl, marchand.statut, disabled, tokensValidAfter],
      );
    }
  };
  return { ...stores, store: stores.userStore, seed };
}

function testTransactions(open: () => Promise<Pick<OpenStores, 'transactionStore' | 'close'>>): void {
  describe('of transactions', () => {
    let transactions: TransactionStore;
    let close: OpenStores['close'];

    beforeEach('open the store', async () => {
      ({ transactionStore: transactions, close } = await open());
    });

    afterEach('close the store', () => close?.());

    it('keep transactions exactly, and list those of one merchant, oldest first', async () => {
      const stored = ['b', 'a', 'c'].map((id, index) =>
        transaction(id, { merchant_transaction_id: `${id} 🥭`, amount: Number.MAX_SAFE_INTEGER - index }),
      );
      const ofOthers = ['btq-1001', 'BTQ-1001 '].map((refercence_cl, index) =>
        transaction(`other-${index}`, { refercence_cl }),
      );
      for (const each of [...stored, ...ofOthers]) expect(await transactions.add(each)).to.deep.equal(each);
      expect(await transactions.list('BTQ-1001', ALL)).to.deep.equal(stored);
      expect(await transactions.list('CNT-1002', ALL)).to.deep.equal([]);
      expect(await transactions.find('BTQ-1001', 'a')).to.deep.equal(stored[1]);
      for (const id of ['A', 'a ', 'other-0', '', '%', 'a\0', '\uFFFD'.repeat(300)]) {
        expect(await transactions.find('BTQ-1001', id), id).to.equal(null);
      }
    });

    it('list transactions in pages, and find one by the id of the merchant', async () => {
      const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) =>
        transaction(id, { merchant_transaction_id: `no. ${id}` }),
      ) as [Transaction, Transaction, Transaction, Transaction];
      const ofKofi = transaction('k', { refercence_cl: 'CNT-1002', merchant_transaction_id: 'no. k' });
      for (const each of [b, ofKofi, d, a, c]) await transactions.add(each);
      for (const [page, expected] of [
        [{ limit: 3 }, [b, d, a]],
        [{ limit: 3, after: 'a' }, [c]],
        [{ limit: 1, after: 'b' }, [d]],
        [{ limit: 3, after: 'c' }, []],
      ] as const) {
        expect(await transactions.list('BTQ-1001', page)).to.deep.equal(expected);
      }
      expect(await transactions.findRequested('BTQ-1001', 'no. c')).to.deep.equal(c);
      for (const id of ['no. k', 'No. c', 'no. c '])
        expect(await transactions.findRequested('BTQ-1001', id)).to.equal(null);
    });

    it('keep one transaction for each exact merchant_transaction_id of a merchant', async () => {
      const first = transaction('1');
      await transactions.add(first);
      expect(await transactions.add(transaction('2', { amount: 1 }))).to.deep.equal(first);
      for (const [index, members] of [
        { refercence_cl: 'CNT-1002' },
        ...['Order-17', 'order-17 ', 'ordér-17'].map((id) => ({ merchant_transaction_id: id })),
      ].entries()) {
        const other = transaction(`other-${index}`, members);
        expect(await transactions.add(other)).to.deep.equal(other);
      }
    });

    it(`keep one of ${AT_ONCE} transactions that come at once with one merchant_transaction_id`, async () => {
      const sent = Array.from({ length: AT_ONCE }, (_, index) => transaction(String(index), { amount: 1 + index }));
      const results = await Promise.all(sent.map((each) => transactions.add(each)));
      const [stored] = await transactions.list('BTQ-1001', ALL);
      expect(sent).to.deep.include(stored);
      expect(results).to.deep.equal(sent.map(() => stored));
    });
  });
}

describe('example-app: the store in memory', () => {
  testTransactions(() => Promise.resolve({ transactionStore: new InMemoryTransactionStore() }));
});

onEachDatabase('example-app: the stores', (database) => {
  for (const { name, run } of userStoreContract(() => openIn(database))) it(name, run);
  testTransactions(() => openIn(database));
});
