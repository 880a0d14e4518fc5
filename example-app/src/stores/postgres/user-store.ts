import type { Credentials, MerchantAccount, UserStore } from 'express-merchant-auth';
import type { Pool } from 'pg';
import { isBigint, isStorable } from '../storable.js';
import { query } from './pool.js';

/** node-postgres gives a bigint as text, which is exact. */
interface Row {
  readonly id: string;
  readonly email: string;
  readonly phone: string;
  readonly password_hash: string | null;
  readonly referencl: string;
  readonly statut: number;
  readonly disabled: boolean;
  readonly tokens_valid_after: Date | null;
}

export class PostgresUserStore implements UserStore {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async findCredentials(email: string): Promise<Credentials | null> {
    if (!isStorable(email)) return null;
    const { rows } = await query<Row>(this.#pool, 'SELECT * FROM merchants WHERE email = $1', [email]);
    return rows[0] ? { account: toAccount(rows[0]), passwordHash: rows[0].password_hash } : null;
  }

  async findById(id: string): Promise<MerchantAccount | null> {
    if (!isBigint(id)) return null;
    const { rows } = await query<Row>(this.#pool, 'SELECT * FROM merchants WHERE id = $1', [id]);
    return rows[0] ? toAccount(rows[0]) : null;
  }

  async replacePasswordHash(id: string, current: string, next: string): Promise<boolean> {
    if (!isBigint(id)) return false;
    const sql = 'UPDATE merchants SET password_hash = $3 WHERE id = $1 AND password_hash = $2';
    const { rowCount } = await query(this.#pool, sql, [id, current, next]);
    return rowCount === 1;
  }
}

function toAccount(row: Row): MerchantAccount {
  return {
    id: row.id,
    email: row.email,
    phone: row.phone,
    marchand: { referencl: row.referencl, statut: row.statut },
    disabled: row.disabled,
    tokensValidAfter: row.tokens_valid_after,
  };
}
