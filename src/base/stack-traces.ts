/**
 * Lets new errors record no stack trace, until the returned function is called. Refusals record none, because the stack is
 * their most expensive part, callers choose their number, and their code says everything. With frozen intrinsics this does
 * nothing. This file can go when V8 records stack frames lazily.
 */
export function pauseStackTraces(): () => void {
  const { stackTraceLimit } = Error;
  Reflect.set(Error, 'stackTraceLimit', 0);
  return () => {
    Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
  };
}
