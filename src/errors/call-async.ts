/** Calls a function that may throw, reject, or return a value at once. The promise carries each of these results. */
export async function callAsync<Result>(call: () => Result): Promise<Awaited<Result>> {
  return await call();
}
