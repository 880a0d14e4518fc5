import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

export const ADMIN_URL = process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';

// The id is text, as the interface has it; the reference is what mint.ts gives the merchant of that number.
const SCHEMA = `
  CREATE TABLE merchants (
    id text PRIMARY KEY,
    email text NOT NULL UNIQUE,
    phone text NOT NULL,
    referencl text NOT NULL,
    statut integer NOT NULL,
    disabled boolean NOT NULL,
    tokens_valid_after timestamptz
  )`;
const FILL = `
  INSERT INTO merchants (id, email, phone, referencl, statut, disabled)
  SELECT number::text, 'merchant-' || number || '@bench.example', '+22900000000', 'BEN-' || number, 1, false
  FROM generate_series(1, $1::integer) AS number`;

/** Makes a database with so many accounts, under a name of its own. */
export async function createDatabase(accounts: number): Promise<string> {
  const name = `bench_${randomBytes(6).toString('hex')}_${accounts}`;
  await run(ADMIN_URL, [`CREATE DATABASE ${name}`]);
  const url = new URL(ADMIN_URL);
  url.pathname = name;
  try {
    await run(url.href, [SCHEMA, { text: FILL, values: [accounts] }, 'VACUUM ANALYZE merchants']);
    // Now, and not in the middle of a measurement. Only a superuser may ask for it.
    await run(url.href, ['CHECKPOINT']).catch(() => undefined);
  } catch (error) {
    await dropDatabase(url.href);
    throw error;
  }
  return url.href;
}

export async function dropDatabase(url: string): Promise<void> {
  await run(ADMIN_URL, [`DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`]);
}

async function run(url: string, statements: readonly (string | { text: string; values: unknown[] })[]): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
