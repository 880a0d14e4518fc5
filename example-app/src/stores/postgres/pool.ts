import { DatabaseError, Pool, type QueryResult, type QueryResultRow } from 'pg';
import { DatabaseUnavailable } from '../database-unavailable.js';
import { CONNECTION_TIMEOUT_MS, POOL_SIZE, QUERY_TIMEOUT_MS } from '../timeouts.js';

/**
 * The SQLSTATEs of an outage. The classes are connection (08), resources such as a full disk (53), intervention by an
 * operator (57) and errors of the operating system (58). 25006 is a write to a database that is read-only.
 */
const OUTAGE = /^(08|53|57|58|25006)/;

export function createPool(url: string, log: (text: string) => void): Pool {
  const pool = new Pool({
    connectionString: withIsoDates(url),
    max: POOL_SIZE,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    // Before our own patience ends, so that nothing is written that was answered with a failure.
    statement_timeout: QUERY_TIMEOUT_MS - 500,
    keepAlive: true,
  });
  // Idle connections fail too, and an error without a listener ends the process.
  pool.on('error', ({ message }) => log(`PostgreSQL: ${message}`));
  return pool;
}

/**
 * node-postgres reads an instant in any other style as null, which here means that no token was revoked. In the URL, since
 * the `options` there win over those beside it.
 */
function withIsoDates(url: string): string {
  const parsed = new URL(url);
  const given = parsed.searchParams.get('options') ?? '';
  parsed.searchParams.set('options', `${given} -c datestyle=ISO`.trim());
  return parsed.href;
}

/**
 * Runs one statement. A connection on which it failed or hung leaves the pool.
 * @throws DatabaseUnavailable when the database did not answer, or is full or read-only
 */
export async function query<Row extends QueryResultRow>(
  pool: Pool,
  sql: string,
  values: readonly unknown[],
): Promise<QueryResult<Row>> {
  try {
    return await pool.query<Row>(sql, [...values]);
  } catch (error) {
    const isRefusal = error instanceof DatabaseError && !OUTAGE.test(error.code ?? '');
    throw isRefusal ? error : new DatabaseUnavailable(error);
  }
}
