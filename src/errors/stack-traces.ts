/**
 * Sets the number of stack frames that new errors record. Refusals record none, because the stack is their most expensive
 * part, callers choose their number, and their code says everything. With frozen intrinsics this does nothing. This file
 * can go when V8 records stack frames lazily.
 */
export function limitStackTraces(frames: number | undefined): void {
  Reflect.set(Error, 'stackTraceLimit', frames);
}
