import { createPool as createMysqlPool, type Pool, type PoolConnection, type QueryResult } from 'mysql2/promise';
import { DatabaseUnavailable } from '../database-unavailable.js';
import { CONNECTION_TIMEOUT_MS, POOL_SIZE, QUERY_TIMEOUT_MS, within } from '../timeouts.js';

export type Value = string | number | boolean | Date;

/** The SQLSTATEs of an outage: connection (08), intervention by an operator (70), a write while read-only (25006). */
const OUTAGE = /^(08|70|25006)/;

/**
 * The errors of an outage whose SQLSTATE is a general one: full disk, failed write, out of memory, out of resources, full
 * table, too many connections of a user, lock wait timeout, limit of a user, and two of a read-only server.
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
    // mysql2 listens for the first error of a connection only, and an error without a listener ends the process.
    connection.on('error', () => undefined);
    // Before our own patience ends: the server goes on with a statement whose connection is gone, and would store what
    // was answered with a failure.
    void connection.query('SET SESSION innodb_lock_wait_timeout = 1');
  });
  return pool;
}

/**
 * Runs one statement, with its values bound by the server. A connection on which it failed or hung leaves the pool.
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

/** A free connection. mysql2 itself would wait for one for ever. */
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
