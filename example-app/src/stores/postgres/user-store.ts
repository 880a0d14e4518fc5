import type { Credentials, MerchantAccount, UserStore } from 'express-merchant-auth';
import type { Pool } from 'pg';
import { type MerchantRow, toAccount } from '../rows.js';
import { isBigint, isStorable } from '../storable.js';
import { query } from './pool.js';

/** Compares as the unique index does. Without the collation, lower() would also change letters that the index keeps. */
const SELECT_BY_EMAIL = 'SELECT * FROM merchants WHERE lower(email) = lower($1 COLLATE "C")';

export class PostgresUserStore implements UserStore {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async findCredentials(email: string): Promise<Credentials | null> {
    if (!isStorable(email)) return null;
    const { rows } = await query<MerchantRow>(this.#pool, SELECT_BY_EMAIL, [email]);
    return rows[0] ? { account: toAccount(rows[0]), passwordHash: rows[0].password_hash } : null;
  }

  async findById(id: string): Promise<MerchantAccount | null> {
    if (!isBigint(id)) return null;
    const { rows } = await query<MerchantRow>(this.#pool, 'SELECT * FROM merchants WHERE id = $1', [id]);
    return rows[0] ? toAccount(rows[0]) : null;
  }

  async findByIds(ids: readonly string[]): Promise<MerchantAccount[]> {
    const sql = 'SELECT * FROM merchants WHERE id = ANY($1)';
    return (await query<MerchantRow>(this.#pool, sql, [ids.filter(isBigint)])).rows.map(toAccount);
  }

  async replacePasswordHash(id: string, current: string, next: string): Promise<boolean> {
    if (!isBigint(id)) return false;
    const sql = 'UPDATE merchants SET password_hash = $3 WHERE id = $1 AND password_hash = $2';
    const { rowCount } = await query(this.#pool, sql, [id, current, next]);
    return rowCount === 1;
  }
}
