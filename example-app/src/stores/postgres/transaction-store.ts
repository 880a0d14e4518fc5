import type { Pool } from 'pg';
import type { Page, Transaction, TransactionStore } from '../../transactions/transaction.js';
import { toTransaction, TRANSACTION_COLUMNS, type TransactionRow } from '../rows.js';
import { isStorable } from '../storable.js';
import { query } from './pool.js';

const INSERT = `INSERT INTO transactions (${TRANSACTION_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT (refercence_cl, merchant_transaction_id) DO NOTHING`;

/**
 * Selects the merchant's transactions after the one with the id $2, which can be null. It compares rows, because PostgreSQL
 * then reads the index transactions_of_merchant from that place, and no row of another merchant.
 */
const PAGE = `(refercence_cl, position) >
  ($1, coalesce((SELECT position FROM transactions WHERE refercence_cl = $1 AND id = $2), 0))
  AND refercence_cl <= $1 ORDER BY refercence_cl, position LIMIT $3`;

export class PostgresTransactionStore implements TransactionStore {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async add(transaction: Transaction): Promise<Transaction> {
    const { id, status, refercence_cl, merchant_transaction_id, amount, currency, created_at } = transaction;
    const values = [id, status, refercence_cl, merchant_transaction_id, amount, currency, created_at];
    await query(this.#pool, INSERT, values);
    // If the row exists, ON CONFLICT has waited until it was committed, so the SELECT finds it.
    const stored = await this.findRequested(refercence_cl, merchant_transaction_id);
    if (stored === null) throw new Error('The transaction was deleted meanwhile.');
    return stored;
  }

  list(referencl: string, { limit, after }: Page): Promise<readonly Transaction[]> {
    return this.#select(PAGE, [referencl, after ?? null, limit]);
  }

  async findRequested(referencl: string, merchantTransactionId: string): Promise<Transaction | null> {
    const where = 'refercence_cl = $1 AND merchant_transaction_id = $2';
    const [found] = await this.#select(where, [referencl, merchantTransactionId]);
    return found ?? null;
  }

  async find(referencl: string, id: string): Promise<Transaction | null> {
    if (!isStorable(id)) return null;
    const [found] = await this.#select('refercence_cl = $1 AND id = $2', [referencl, id]);
    return found ?? null;
  }

  async #select(where: string, values: readonly (string | number | null)[]): Promise<Transaction[]> {
    const sql = `SELECT ${TRANSACTION_COLUMNS} FROM transactions WHERE ${where}`;
    const { rows } = await query<TransactionRow>(this.#pool, sql, values);
    return rows.map(toTransaction);
  }
}
