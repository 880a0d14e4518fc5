import { DatabaseError, Pool, type QueryResult, type QueryResultRow } from 'pg';
import { DatabaseUnavailable } from '../database-unavailable.js';
import { CONNECTION_TIMEOUT_MS, POOL_SIZE, QUERY_TIMEOUT_MS } from '../timeouts.js';

/**
 * Matches the SQLSTATEs of an outage. Class 08 is the connection, 53 resources such as disk space, 57 an operator's
 * intervention, and 58 the operating system. Code 25006 is a write to a read-only database.
 */
const OUTAGE = /^(08|53|57|58|25006)/;

export function createPool(url: string, log: (text: string) => void): Pool {
  const pool = new Pool({
    connectionString: withIsoDates(url),
    max: POOL_SIZE,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    // The server gives up before query_timeout, so that nothing is stored after the app answered 503.
    statement_timeout: QUERY_TIMEOUT_MS - 500,
    keepAlive: true,
  });
  // Idle connections can fail, and an error without a listener ends the process.
  pool.on('error', ({ message }) => log(`PostgreSQL: ${message}`));
  return pool;
}

/**
 * Sets the date style to ISO. node-postgres reads other styles as null, and a null `tokens_valid_after` revokes no token.
 * The setting is in the URL, because `options` in a URL override the options of the pool.
 */
function withIsoDates(url: string): string {
  const parsed = new URL(url);
  const given = parsed.searchParams.get('options') ?? '';
  parsed.searchParams.set('options', `${given} -c datestyle=ISO`.trim());
  return parsed.href;
}

/**
 * Runs one statement. If it fails or times out, its connection leaves the pool.
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
