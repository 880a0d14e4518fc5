import type { Credentials, MerchantAccount, UserStore } from 'express-merchant-auth';
import type { Pool, ResultSetHeader, RowDataPacket } from 'mysql2/promise';
import { type MerchantRow, toAccount } from '../rows.js';
import { isBigint, isStorable } from '../storable.js';
import { query } from './pool.js';

type Row = RowDataPacket & MerchantRow;

/** Has one value for all ids. IN (?, ?) would be one prepared statement for each number of ids, and MySQL limits these. */
const SELECT_BY_IDS =
  "SELECT merchants.* FROM JSON_TABLE(?, '$[*]' COLUMNS (wanted bigint PATH '$')) AS ids JOIN merchants ON id = wanted";

export class MysqlUserStore implements UserStore {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async findCredentials(email: string): Promise<Credentials | null> {
    if (!isStorable(email)) return null;
    const [row] = await query<Row[]>(this.#pool, 'SELECT * FROM merchants WHERE email_lower = LOWER(?)', [email]);
    return row ? { account: toAccount(row), passwordHash: row.password_hash } : null;
  }

  async findById(id: string): Promise<MerchantAccount | null> {
    if (!isBigint(id)) return null;
    // MySQL promises an exact comparison of a number with a text only with the cast.
    const [row] = await query<Row[]>(this.#pool, 'SELECT * FROM merchants WHERE id = CAST(? AS SIGNED)', [id]);
    return row ? toAccount(row) : null;
  }

  async findByIds(ids: readonly string[]): Promise<MerchantAccount[]> {
    return (await query<Row[]>(this.#pool, SELECT_BY_IDS, [JSON.stringify(ids.filter(isBigint))])).map(toAccount);
  }

  async replacePasswordHash(id: string, current: string, next: string): Promise<boolean> {
    if (!isBigint(id)) return false;
    const sql = 'UPDATE merchants SET password_hash = ? WHERE id = CAST(? AS SIGNED) AND password_hash = ?';
    const { affectedRows } = await query<ResultSetHeader>(this.#pool, sql, [next, id, current]);
    return affectedRows === 1;
  }
}
