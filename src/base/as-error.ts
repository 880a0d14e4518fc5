import { types } from 'node:util';

/** Puts any other thrown value into the `cause` of a new Error. */
export function asError(reason: unknown): Error {
  const isError = reason instanceof Error || types.isNativeError(reason);
  return isError ? reason : new Error('A value that is not an Error was thrown', { cause: reason });
}
