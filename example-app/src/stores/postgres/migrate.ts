import { Client } from 'pg';
import { DEMO_COLUMNS, hashDemoRows } from '../demo-rows.js';
import { migrate } from '../migrations.js';
import { CONNECTION_TIMEOUT_MS, MIGRATION_TIMEOUT_MS } from '../timeouts.js';

/** Identifies a lock of this database, so that processes that start together migrate one after the other. */
const LOCK = 1001;

const SEED = `INSERT INTO merchants (${DEMO_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (lower(email)) DO NOTHING`;

/** Applies the new migrations, all or none. With `seedDemo` it also adds the missing demo accounts. */
export async function migratePostgres(url: string, { seedDemo }: { readonly seedDemo: boolean }): Promise<void> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    query_timeout: MIGRATION_TIMEOUT_MS,
  });
  // The running query rejects with the same error.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    await migrate('postgres', async (sql) => (await client.query<object>(sql)).rows);
    if (seedDemo) for (const row of await hashDemoRows()) await client.query(SEED, [...row]);
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}
