import type { Pool } from 'pg';
import type { Transaction, TransactionStore } from '../../transactions/transaction.js';
import { isStorable } from '../storable.js';
import { query } from './pool.js';

type Row = Omit<Transaction, 'amount' | 'created_at'> & { readonly amount: string; readonly created_at: Date };

const COLUMNS = 'id, refercence_cl, merchant_transaction_id, amount, currency, created_at';

export class PostgresTransactionStore implements TransactionStore {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async add(transaction: Transaction): Promise<void> {
    const { id, refercence_cl, merchant_transaction_id, amount, currency, created_at } = transaction;
    const sql = `INSERT INTO transactions (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6)`;
    const values = [id, refercence_cl, merchant_transaction_id, amount, currency, created_at];
    await query(this.#pool, sql, values);
  }

  async list(referencl: string): Promise<readonly Transaction[]> {
    const sql = `SELECT ${COLUMNS} FROM transactions WHERE refercence_cl = $1 ORDER BY position`;
    const { rows } = await query<Row>(this.#pool, sql, [referencl]);
    return rows.map(toTransaction);
  }

  async find(referencl: string, id: string): Promise<Transaction | null> {
    if (!isStorable(id)) return null;
    const sql = `SELECT ${COLUMNS} FROM transactions WHERE refercence_cl = $1 AND id = $2`;
    const { rows } = await query<Row>(this.#pool, sql, [referencl, id]);
    return rows[0] ? toTransaction(rows[0]) : null;
  }
}

/** Amounts were safe integers when they were stored, so a number holds them exactly. */
function toTransaction(row: Row): Transaction {
  return { ...row, amount: Number(row.amount), created_at: row.created_at.toISOString() };
}
