import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { hashDemoRows } from '../demo-rows.js';
import { migrate } from '../migrations.js';
import { CONNECTION_TIMEOUT_MS, MIGRATION_TIMEOUT_MS, within } from '../timeouts.js';

/** Processes that start at once on one database take turns by it. It goes with the connection. */
const LOCK = `SELECT GET_LOCK(CONCAT('migrations:', MD5(DATABASE())), ${MIGRATION_TIMEOUT_MS / 1000}) AS locked`;

/** IGNORE would hide other errors too. */
const SEED =
  'INSERT INTO merchants (email, phone, password_hash, referencl, statut, disabled) VALUES (?, ?, ?, ?, ?, ?) ' +
  'ON DUPLICATE KEY UPDATE id = id';

/**
 * Applies the migrations that are new, and with `seedDemo` adds the demo accounts that are missing. The database
 * commits at each statement that changes a table, so the files are written to be run again after a failure.
 */
export async function migrateMysql(url: string, { seedDemo }: { readonly seedDemo: boolean }): Promise<void> {
  const connection = await createConnection({
    uri: url,
    connectTimeout: CONNECTION_TIMEOUT_MS,
    multipleStatements: true,
  });
  // The query that is under way fails too, and says why.
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
