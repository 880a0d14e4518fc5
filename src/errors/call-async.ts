/** Calls a function, and returns a promise of its result. The promise rejects also when the function throws at once. */
export async function callAsync<Result>(call: () => Result): Promise<Awaited<Result>> {
  return await call();
}
