/** Calls a function, and returns a promise of its result, which rejects even when the function throws at once. */
export async function callAsync<Result>(call: () => Result): Promise<Awaited<Result>> {
  return await call();
}
