/** Calls a function of the host, which may throw, reject or return a value at once: all of it through the promise. */
export async function callAsync<Result>(call: () => Result): Promise<Awaited<Result>> {
  return await call();
}
