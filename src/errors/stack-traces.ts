/**
 * How many frames errors record that are made from now on: with 0 their `stack` is the message, with `undefined` they
 * have none, which costs less. Where the intrinsics are frozen, nothing changes.
 */
export function limitStackTraces(frames: number | undefined): void {
  Reflect.set(Error, 'stackTraceLimit', frames);
}
