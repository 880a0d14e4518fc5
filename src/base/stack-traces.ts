/**
 * New errors record no stack trace until the returned function is called. The stack is the most expensive part of a
 * refusal, and callers choose their number. Has no effect with frozen intrinsics. This file can go when V8 records
 * stack frames lazily.
 */
export function pauseStackTraces(): () => void {
  const { stackTraceLimit } = Error;
  Reflect.set(Error, 'stackTraceLimit', 0);
  return () => {
    Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
  };
}
