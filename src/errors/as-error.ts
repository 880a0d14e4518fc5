/** Whether a thrown value can be passed on: anything can be thrown, and Express goes on for `undefined` or `'route'`. */
export function isErrorObject(reason: unknown): reason is object {
  return typeof reason === 'object' && reason !== null;
}

/** What was thrown, or an Error around it when it is no object. */
export function asError(reason: unknown): object {
  return isErrorObject(reason) ? reason : new Error('A value that is no Error was thrown', { cause: reason });
}
