/**
 * Limits the wait for a connection, in milliseconds. The two limits together are below the package's `storeTimeoutMs` (five
 * seconds), so that a query that hangs ends in this app, which can then close its connection.
 */
export const CONNECTION_TIMEOUT_MS = 2_000;

/** Limits the wait for the answer to a query, in milliseconds. */
export const QUERY_TIMEOUT_MS = 2_500;

/** Limits the migrations at start, in milliseconds. This includes the wait for another process that migrates. */
export const MIGRATION_TIMEOUT_MS = 60_000;

/** Limits the database connections of one process. */
export const POOL_SIZE = 10;

/** Settles like `promise`, or rejects after a timeout. It does not stop the work behind `promise`. */
export async function within<Result>(milliseconds: number, promise: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`There was no answer within ${milliseconds} ms.`)), milliseconds);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
