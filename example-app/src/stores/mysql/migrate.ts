import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { DEMO_COLUMNS, hashDemoRows } from '../demo-rows.js';
import { migrate } from '../migrations.js';
import { CONNECTION_TIMEOUT_MS, MIGRATION_TIMEOUT_MS, within } from '../timeouts.js';

/** Takes a lock, so that processes that start together migrate one after the other. It ends with the connection. */
const LOCK = `SELECT GET_LOCK(CONCAT('migrations:', MD5(DATABASE())), ${MIGRATION_TIMEOUT_MS / 1000}) AS locked`;

/** Keeps a row that exists. INSERT IGNORE would also hide other errors. */
const SEED = `INSERT INTO merchants (${DEMO_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE id = id`;

/**
 * Applies the new migrations. With `seedDemo` it also adds the missing demo accounts. MySQL commits each statement that
 * changes a table, so each file can run again after a failure.
 */
export async function migrateMysql(url: string, { seedDemo }: { readonly seedDemo: boolean }): Promise<void> {
  const connection = await createConnection({
    uri: url,
    connectTimeout: CONNECTION_TIMEOUT_MS,
    multipleStatements: true,
  });
  // The running query rejects with the same error.
  connection.on('error', () => undefined);
  try {
    await within(MIGRATION_TIMEOUT_MS, migrateAndSeed(connection, seedDemo));
    await connection.end();
  } catch (error) {
    connection.destroy();
    throw error;
  }
}

async function migrateAndSeed(connection: Connection, seedDemo: boolean): Promise<void> {
  const [[lock]] = await connection.query<RowDataPacket[]>(LOCK);
  if (lock?.['locked'] !== 1) throw new Error('Another process holds the lock of the migrations.');
  await migrate('mysql', async (sql) => (await connection.query<RowDataPacket[]>(sql))[0]);
  if (seedDemo) for (const row of await hashDemoRows()) await connection.execute(SEED, [...row]);
}
