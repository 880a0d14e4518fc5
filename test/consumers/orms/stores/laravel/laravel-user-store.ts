import type { Credentials, MerchantAccount, UserStore } from 'express-merchant-auth';
import type { Pool, ResultSetHeader, RowDataPacket } from 'mysql2/promise';

/** A further member, which your handlers read. */
export interface LaravelAccount extends MerchantAccount {
  readonly marchandId: string;
}

/** Users without a merchant are not found. */
const SELECT = `SELECT u.id, u.email, u.phone, u.password, u.disabled, u.tokens_valid_after,
    u.marchand_id, m.referencl, m.statut
  FROM users u JOIN marchands m ON m.id = u.marchand_id`;

/** Matches NUL, and half of a surrogate pair, because the driver turns that into another letter. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** Returns true for an id as the column gives it. MySQL reads '7abc', ' 7' and '7.0' as 7. */
const isId = (id: string) => /^[1-9]\d{0,19}$/.test(id) && BigInt(id) < 2n ** 64n;

const toAccount = (row: RowDataPacket): LaravelAccount => ({
  id: String(row.id),
  email: row.email,
  phone: row.phone ?? '',
  marchand: { referencl: row.referencl, statut: row.statut },
  disabled: Boolean(row.disabled),
  tokensValidAfter: row.tokens_valid_after,
  marchandId: String(row.marchand_id),
});

export class LaravelUserStore implements UserStore<LaravelAccount> {
  private readonly pool: Pool;

  constructor(pool: Pool) {
    this.pool = pool;
  }

  async findCredentials(email: string): Promise<Credentials<LaravelAccount> | null> {
    if (UNSTORABLE.test(email)) return null;
    const [[row]] = await this.pool.execute<RowDataPacket[]>(`${SELECT} WHERE u.email = ?`, [email]);
    return row ? { account: toAccount(row), passwordHash: row.password } : null;
  }

  async findById(id: string): Promise<LaravelAccount | null> {
    if (!isId(id)) return null; // MySQL compares an integer with a text as floating-point numbers
    const [[row]] = await this.pool.execute<RowDataPacket[]>(`${SELECT} WHERE u.id = CAST(? AS UNSIGNED)`, [id]);
    return row ? toAccount(row) : null;
  }

  async findByIds(ids: readonly string[]): Promise<LaravelAccount[]> {
    const known = [0n, ...ids.filter(isId).map(BigInt)]; // MySQL refuses an empty list, and no id is 0
    const [rows] = await this.pool.query<RowDataPacket[]>(`${SELECT} WHERE u.id IN (?)`, [known]);
    return rows.map(toAccount);
  }

  async replacePasswordHash(id: string, current: string, next: string): Promise<boolean> {
    if (!isId(id)) return false; // in utf8mb4_unicode_ci, hashes that differ in letter case are equal
    const sql = 'UPDATE users SET password = ? WHERE id = CAST(? AS UNSIGNED) AND password = CAST(? AS BINARY)';
    const [{ affectedRows }] = await this.pool.execute<ResultSetHeader>(sql, [next, id, current]);
    return affectedRows === 1;
  }
}
