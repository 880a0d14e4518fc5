/** Calls a function, and returns a promise of its result. The promise rejects also when the function throws at once. */
export async function callAsync<Result>(call: () => Result): Promise<Awaited<Result>> {
  return await call();
}

/** Calls a function of the host, and drops what it throws or rejects with, because that would end the process. */
export async function callDroppingErrors(call: () => unknown): Promise<void> {
  await callAsync(call).catch(() => undefined);
}
