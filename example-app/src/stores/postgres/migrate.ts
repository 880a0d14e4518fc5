import { Client } from 'pg';
import { hashDemoRows } from '../demo-rows.js';
import { readMigrations } from '../migrations.js';
import { CONNECTION_TIMEOUT_MS, MIGRATION_TIMEOUT_MS } from '../timeouts.js';

/** Any number; processes that start at once take turns by it. PostgreSQL keeps the locks of each database apart. */
const LOCK = 1001;

const SEED =
  'INSERT INTO merchants (email, phone, password_hash, referencl, statut, disabled) VALUES ($1, $2, $3, $4, $5, $6) ' +
  'ON CONFLICT (email) DO NOTHING';

/** Applies the migrations that are new, all or none, and with `seedDemo` adds the demo accounts that are missing. */
export async function migratePostgres(url: string, { seedDemo }: { readonly seedDemo: boolean }): Promise<void> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    query_timeout: MIGRATION_TIMEOUT_MS,
  });
  // The query that is under way fails too, and says why.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    await migrate(client);
    if (seedDemo) for (const row of await hashDemoRows()) await client.query(SEED, [...row]);
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}

async function migrate(client: Client): Promise<void> {
  await client.query('CREATE TABLE IF NOT EXISTS applied_migrations (name text PRIMARY KEY)');
  const { rows } = await client.query<{ name: string }>('SELECT name FROM applied_migrations');
  for (const { name, sql } of readMigrations('postgres')) {
    if (rows.some((applied) => applied.name === name)) continue;
    await client.query(sql);
    await client.query('INSERT INTO applied_migrations (name) VALUES ($1)', [name]);
  }
}
