import type { Pool, RowDataPacket } from 'mysql2/promise';
import type { Page, Transaction, TransactionStore } from '../../transactions/transaction.js';
import { toTransaction, TRANSACTION_COLUMNS, type TransactionRow } from '../rows.js';
import { isStorable } from '../storable.js';
import { query } from './pool.js';

/** Keeps a row that exists. INSERT IGNORE would also hide other errors. */
const INSERT = `INSERT INTO transactions (${TRANSACTION_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON DUPLICATE KEY UPDATE position = position`;

/** Reads the index from the transaction with that id. With a subquery in WHERE, MariaDB reads all rows before it too. */
const AFTER = `(SELECT position AS seen FROM transactions WHERE refercence_cl = ? AND id = ?) AS known
  JOIN transactions ON position > seen WHERE refercence_cl = ? ORDER BY position LIMIT ?`;

export class MysqlTransactionStore implements TransactionStore {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async add(transaction: Transaction): Promise<Transaction> {
    const { id, status, refercence_cl, merchant_transaction_id, amount, currency, created_at } = transaction;
    const values = [id, status, refercence_cl, merchant_transaction_id, amount, currency, new Date(created_at)];
    await query(this.#pool, INSERT, values);
    const stored = await this.findRequested(refercence_cl, merchant_transaction_id);
    if (stored === null) throw new Error(`Another transaction has the id ${id}.`);
    return stored;
  }

  list(referencl: string, { limit, after }: Page): Promise<readonly Transaction[]> {
    // mysql2 sends a number as a double, which MySQL refuses as a limit.
    const most = String(limit);
    if (after !== undefined) return this.#select(AFTER, [referencl, after, referencl, most]);
    return this.#select('transactions WHERE refercence_cl = ? ORDER BY position LIMIT ?', [referencl, most]);
  }

  async findRequested(referencl: string, merchantTransactionId: string): Promise<Transaction | null> {
    const from = 'transactions WHERE refercence_cl = ? AND merchant_transaction_id = ?';
    const [found] = await this.#select(from, [referencl, merchantTransactionId]);
    return found ?? null;
  }

  async find(referencl: string, id: string): Promise<Transaction | null> {
    if (!isStorable(id)) return null;
    const [found] = await this.#select('transactions WHERE refercence_cl = ? AND id = ?', [referencl, id]);
    return found ?? null;
  }

  async #select(from: string, values: readonly string[]): Promise<Transaction[]> {
    const sql = `SELECT ${TRANSACTION_COLUMNS} FROM ${from}`;
    const rows = await query<(RowDataPacket & TransactionRow)[]>(this.#pool, sql, values);
    return rows.map(toTransaction);
  }
}
