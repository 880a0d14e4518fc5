/** Returns a function whose overlapping calls share one run of `work`. */
export function singleFlight<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let flight: Promise<Value> | undefined;
  return () =>
    (flight ??= work().finally(() => {
      flight = undefined;
    }));
}

/** Starts the work, and rejects with the signal's reason when the signal aborts. The work goes on for other callers. */
export async function unlessAborted<Value>(
  signal: AbortSignal | null | undefined,
  work: () => Promise<Value>,
): Promise<Value> {
  signal?.throwIfAborted();
  if (!signal) return work();
  return new Promise((resolve, reject) => {
    // The reason is any value that the caller chose.
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave);
    void work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', leave));
  });
}

/** Resolves to the value of `call`, or to `undefined` when it throws, rejects or takes longer. */
export async function settleWithin<Value>(ms: number, call: () => Value): Promise<Awaited<Value> | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([call(), late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
