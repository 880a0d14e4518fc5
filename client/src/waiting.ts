/** Overlapping calls share one run of `work`. */
export function singleFlight<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let flight: Promise<Value> | undefined;
  return () => (flight ??= work().finally(() => (flight = undefined)));
}

/** Timers run before input is read, so a process that stood still has another second. */
export function startTimeout(milliseconds: number, expire: () => void): () => void {
  const dueAt = performance.now() + milliseconds;
  let timer = setTimeout(() => {
    if (performance.now() < dueAt + 10) expire();
    else timer = setTimeout(expire, 1_000);
  }, milliseconds);
  return () => clearTimeout(timer);
}

/** Rejects with the signal's reason. The work goes on for other callers. */
export async function unlessAborted<Value>(signal: AbortSignal | null, work: () => Promise<Value>): Promise<Value> {
  signal?.throwIfAborted();
  const over = new AbortController();
  const aborted = new Promise<never>((_resolve, reject) => {
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- The caller chose the reason.
    signal?.addEventListener('abort', () => reject(signal.reason), { signal: over.signal });
  });
  return Promise.race([work(), aborted]).finally(() => over.abort());
}
