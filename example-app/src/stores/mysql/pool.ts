import { createPool as createMysqlPool, type Pool, type PoolConnection, type QueryResult } from 'mysql2/promise';
import { DatabaseUnavailable } from '../database-unavailable.js';
import { CONNECTION_TIMEOUT_MS, POOL_SIZE, QUERY_TIMEOUT_MS, within } from '../timeouts.js';

export type Value = string | number | boolean | Date;

/** Matches the SQLSTATEs of an outage: connection (08), operator intervention (70), write to a read-only server (25006). */
const OUTAGE = /^(08|70|25006)/;

/**
 * Lists the error numbers of an outage whose SQLSTATE is general:
 * - full disk, failed write, out of memory, out of resources, full table
 * - too many connections of a user, lock wait timeout, limit of a user
 * - two for a read-only server
 */
const OUTAGE_ERRORS: ReadonlySet<number | undefined> = new Set([
  1021, 1026, 1037, 1041, 1114, 1203, 1205, 1226, 1290, 1836,
]);

export function createPool(url: string): Pool {
  const pool = createMysqlPool({
    uri: url,
    connectionLimit: POOL_SIZE,
    connectTimeout: CONNECTION_TIMEOUT_MS,
    timezone: 'Z',
    supportBigNumbers: true,
    bigNumberStrings: true,
  });
  pool.on('connection', (connection) => {
    // mysql2 removes its error listener after the first error, and an error without a listener ends the process.
    connection.on('error', () => undefined);
    // A lock has to time out before QUERY_TIMEOUT_MS, because MySQL finishes a statement even if its connection is gone.
    // Otherwise MySQL could store a transaction after the app answered 503.
    void connection.query('SET SESSION innodb_lock_wait_timeout = 1');
  });
  return pool;
}

/**
 * Runs one prepared statement. If it fails or times out, its connection leaves the pool.
 * @throws DatabaseUnavailable when the database did not answer, or is full or read-only
 */
export async function query<Result extends QueryResult>(
  pool: Pool,
  sql: string,
  values: readonly Value[],
): Promise<Result> {
  try {
    const connection = await acquire(pool);
    return await execute<Result>(connection, sql, values);
  } catch (error) {
    const { sqlState, errno } = error as { readonly sqlState?: string; readonly errno?: number };
    const isRefusal = sqlState !== undefined && !OUTAGE.test(sqlState) && !OUTAGE_ERRORS.has(errno);
    throw isRefusal ? error : new DatabaseUnavailable(error);
  }
}

/** Takes a free connection from the pool. Without the timeout, mysql2 would wait without limit. */
async function acquire(pool: Pool): Promise<PoolConnection> {
  const acquiring = pool.getConnection();
  try {
    return await within(CONNECTION_TIMEOUT_MS, acquiring);
  } catch (error) {
    acquiring.then(
      (late) => late.release(),
      () => undefined,
    );
    throw error;
  }
}

async function execute<Result extends QueryResult>(
  connection: PoolConnection,
  sql: string,
  values: readonly Value[],
): Promise<Result> {
  try {
    const [result] = await within(QUERY_TIMEOUT_MS, connection.execute<Result>(sql, [...values]));
    connection.release();
    return result;
  } catch (error) {
    connection.destroy();
    throw error;
  }
}
