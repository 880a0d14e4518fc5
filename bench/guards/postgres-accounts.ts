import { randomBytes } from 'node:crypto';
import type { Credentials, MerchantAccount, UserStore } from 'express-merchant-auth';
import { Client, Pool } from 'pg';

const ADMIN_URL = process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';

// The values are those of `accountOf` in keys.ts.
const tableOf = (accounts: number) => `
  CREATE TABLE merchants AS
  SELECT number::text AS id, 'merchant-' || number || '@bench.example' AS email, '+22900000000' AS phone,
    'BEN-' || number AS referencl, 1 AS statut, false AS disabled, NULL::timestamptz AS tokens_valid_after
  FROM generate_series(1, ${accounts}) AS number`;

/** Creates a database with accounts, calls `use` with its address, and drops it. */
export async function withDatabase<Result>(accounts: number, use: (url: string) => Promise<Result>): Promise<Result> {
  const name = `bench_${randomBytes(6).toString('hex')}`;
  const url = new URL(`/${name}`, ADMIN_URL).href;
  await run(ADMIN_URL, `CREATE DATABASE ${name}`);
  try {
    await run(url, tableOf(accounts), 'ALTER TABLE merchants ADD PRIMARY KEY (id)', 'VACUUM ANALYZE merchants');
    // Writes the pages now, and not during a turn. Only a superuser may ask for it.
    await run(url, 'CHECKPOINT').catch(() => undefined);
    return await use(url);
  } finally {
    await run(ADMIN_URL, `DROP DATABASE ${name} WITH (FORCE)`);
  }
}

async function run(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

interface MerchantRow extends Omit<MerchantAccount, 'marchand'> {
  readonly referencl: string;
  readonly statut: number;
}

const COLUMNS = 'id, email, phone, referencl, statut, disabled, tokens_valid_after AS "tokensValidAfter"';
const FIND_BY_ID = { name: 'find-by-id', text: `SELECT ${COLUMNS} FROM merchants WHERE id = $1` };

/** Reads the accounts as an application does. Nobody logs in here. */
export class PostgresUserStore implements UserStore {
  readonly #pool: Pool;

  constructor(connectionString: string) {
    this.#pool = new Pool({ connectionString });
  }

  findCredentials(): Promise<Credentials | null> {
    return Promise.resolve(null);
  }

  async findById(id: string): Promise<MerchantAccount | null> {
    const { rows } = await this.#pool.query<MerchantRow>({ ...FIND_BY_ID, values: [id] });
    if (rows[0] === undefined) return null;
    const { referencl, statut, ...account } = rows[0];
    return { ...account, marchand: { referencl, statut } };
  }
}
