import { types } from 'node:util';

/** Returns what was thrown if it is an Error (of any realm), else an Error with the value as its `cause`. */
export function asError(reason: unknown): Error {
  const isError = reason instanceof Error || types.isNativeError(reason);
  return isError ? reason : new Error('A value that is not an Error was thrown', { cause: reason });
}
