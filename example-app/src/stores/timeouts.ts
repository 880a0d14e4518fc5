/**
 * How long a query may wait for a connection, and then for its answer, in milliseconds. Together less than the five
 * seconds that login and guard give a store, so that what hangs ends here, where its connection can be thrown away.
 */
export const CONNECTION_TIMEOUT_MS = 2_000;
export const QUERY_TIMEOUT_MS = 2_500;

/** How long the migrations may take at start, in milliseconds, waiting for another process included. */
export const MIGRATION_TIMEOUT_MS = 60_000;

/** How many connections a process opens at most. */
export const POOL_SIZE = 10;

/** Resolves as `promise` does, unless that takes longer. What it does then is up to the caller to end. */
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
