import { types } from 'node:util';

/** Whether a thrown value is an Error, of whatever realm. It does not throw, also not for a Proxy that does. */
export function isError(reason: unknown): reason is Error {
  try {
    return reason instanceof Error || types.isNativeError(reason);
  } catch {
    return false;
  }
}

/**
 * What was thrown, or an Error around it. Anything can be thrown, and Express goes on for `undefined` and `'route'`.
 */
export function asError(reason: unknown): Error {
  return isError(reason) ? reason : new Error('A value that is no Error was thrown', { cause: reason });
}

/** What an error says. It does not throw: anything can stand where a message is expected, also a getter that throws. */
export function messageOf(error: { readonly message: unknown }): string {
  try {
    return String(error.message);
  } catch {
    return 'an error without a message';
  }
}
