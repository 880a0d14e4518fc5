import type { Credentials, MerchantAccount, UserStore } from 'express-merchant-auth';
import { Pool } from 'pg';

/** A row of the table. */
interface Row {
  readonly id: string;
  readonly email: string;
  readonly phone: string;
  readonly referencl: string;
  readonly statut: number;
  readonly disabled: boolean;
  readonly tokens_valid_after: Date | null;
}

const FIND_BY_ID = {
  name: 'find-by-id',
  text: 'SELECT id, email, phone, referencl, statut, disabled, tokens_valid_after FROM merchants WHERE id = $1',
};

/** The accounts of a database, as an application would read them. Nobody logs in here. */
export class PostgresUserStore implements UserStore {
  readonly #pool: Pool;

  constructor(connectionString: string) {
    this.#pool = new Pool({ connectionString });
  }

  findCredentials(): Promise<Credentials | null> {
    return Promise.resolve(null);
  }

  async findById(id: string): Promise<MerchantAccount | null> {
    const { rows } = await this.#pool.query<Row>({ ...FIND_BY_ID, values: [id] });
    const [row] = rows;
    if (row === undefined) return null;
    return {
      id: row.id,
      email: row.email,
      phone: row.phone,
      marchand: { referencl: row.referencl, statut: row.statut },
      disabled: row.disabled,
      tokensValidAfter: row.tokens_valid_after,
    };
  }
}
