import { randomBytes } from 'node:crypto';
import type { MerchantAccount, UserStore } from 'express-merchant-auth';
import { Client, Pool } from 'pg';
import { MERCHANTS } from './keys.js';

/** An accounts table in PostgreSQL. */
export interface AccountsTable {
  readonly url: string;
  /** Gives the store `findByIds`. */
  readonly isBatched: boolean;
}

const ADMIN = process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';

/** The values are those of `accountOf` in keys.ts. */
const TABLE = `
  CREATE TABLE merchants AS
  SELECT number::text AS id, 'merchant-' || number || '@bench.example' AS email, '+22900000000' AS phone,
    'BEN-' || number AS referencl, 1 AS statut, FALSE AS disabled, NULL::timestamptz AS tokens_valid_after
  FROM generate_series(1, ${MERCHANTS}) AS number;
  ALTER TABLE merchants ADD PRIMARY KEY (id)`;

async function run(connectionString: string, ...statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Creates a database with 10,000 accounts, calls `use` with its address, and drops it. */
export async function withDatabase<Result>(use: (url: string) => Promise<Result>): Promise<Result> {
  const name = `bench_${randomBytes(6).toString('hex')}`;
  const url = new URL(`/${name}`, ADMIN).href;
  await run(ADMIN, `CREATE DATABASE ${name}`);
  try {
    // Without this vacuum, the server collects the statistics during a turn.
    await run(url, TABLE, 'VACUUM ANALYZE merchants');
    return await use(url);
  } finally {
    await run(ADMIN, `DROP DATABASE ${name} WITH (FORCE)`);
  }
}

interface MerchantRow extends Omit<MerchantAccount, 'marchand'> {
  readonly referencl: string;
  readonly statut: number;
}

const COLUMNS = 'id, email, phone, referencl, statut, disabled, tokens_valid_after AS "tokensValidAfter"';
const SELECT = `SELECT ${COLUMNS} FROM merchants WHERE id`;

/** Reads the accounts as an application does. Nobody logs in here. */
export function openStore({ url, isBatched }: AccountsTable): UserStore {
  const pool = new Pool({ connectionString: url, max: 10 });
  const find = async (name: string, condition: string, value: unknown) => {
    const { rows } = await pool.query<MerchantRow>({ name, text: `${SELECT} = ${condition}`, values: [value] });
    return rows.map(({ referencl, statut, ...account }) => ({ ...account, marchand: { referencl, statut } }));
  };
  const findById = async (id: string) => (await find('find-by-id', '$1', id))[0] ?? null;
  const findByIds = (ids: readonly string[]) => find('find-by-ids', 'ANY($1)', ids);
  return { findCredentials: () => Promise.resolve(null), findById, ...(isBatched && { findByIds }) };
}
