/**
 * Sets the number of stack frames that new errors record. A caller chooses how many refusals there are, and the stack is
 * the most expensive part of a refusal. Nobody reads that stack, because the code of the error says everything. With
 * frozen intrinsics nothing changes. This file can go when V8 records stack frames lazily.
 */
export function limitStackTraces(frames: number | undefined): void {
  Reflect.set(Error, 'stackTraceLimit', frames);
}
