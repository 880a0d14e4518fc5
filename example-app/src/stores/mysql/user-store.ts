import type { Credentials, MerchantAccount, UserStore } from 'express-merchant-auth';
import type { Pool, ResultSetHeader, RowDataPacket } from 'mysql2/promise';
import { isBigint, isStorable } from '../storable.js';
import { query } from './pool.js';

/** The pool gives a bigint as text, which is exact, and reads instants as UTC; MySQL has 0 and 1 for booleans. */
interface Row extends RowDataPacket {
  readonly id: string;
  readonly email: string;
  readonly phone: string;
  readonly password_hash: string | null;
  readonly referencl: string;
  readonly statut: number;
  readonly disabled: 0 | 1;
  readonly tokens_valid_after: Date | null;
}

export class MysqlUserStore implements UserStore {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async findCredentials(email: string): Promise<Credentials | null> {
    if (!isStorable(email)) return null;
    const [row] = await query<Row[]>(this.#pool, 'SELECT * FROM merchants WHERE email = ?', [email]);
    return row ? { account: toAccount(row), passwordHash: row.password_hash } : null;
  }

  async findById(id: string): Promise<MerchantAccount | null> {
    if (!isBigint(id)) return null;
    // MySQL promises an exact comparison of a number with a text only with the cast.
    const [row] = await query<Row[]>(this.#pool, 'SELECT * FROM merchants WHERE id = CAST(? AS SIGNED)', [id]);
    return row ? toAccount(row) : null;
  }

  async replacePasswordHash(id: string, current: string, next: string): Promise<boolean> {
    if (!isBigint(id)) return false;
    const sql = 'UPDATE merchants SET password_hash = ? WHERE id = CAST(? AS SIGNED) AND password_hash = ?';
    const { affectedRows } = await query<ResultSetHeader>(this.#pool, sql, [next, id, current]);
    return affectedRows === 1;
  }
}

function toAccount(row: Row): MerchantAccount {
  return {
    id: row.id,
    email: row.email,
    phone: row.phone,
    marchand: { referencl: row.referencl, statut: row.statut },
    disabled: row.disabled !== 0,
    tokensValidAfter: row.tokens_valid_after,
  };
}
