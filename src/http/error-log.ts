import { types } from 'node:util';
import type { AuthError } from '../errors/auth-error.js';
import { describeError } from '../base/describe-error.js';
import { callDroppingErrors } from '../base/host-calls.js';

const LINE_INTERVAL_MS = 1_000;

const HINT = '(its message: authErrorHandler({ log }))';

/**
 * At most one line per second and code, and a second line with the number of further errors. Throws or rejects with
 * what `write` does, and only that line is lost.
 */
export function createErrorLog(write: (line: string) => unknown): (error: AuthError) => unknown {
  const repeats = new Map<string, number>();

  return function logError(error) {
    const { code } = error;
    const count = repeats.get(code);
    repeats.set(code, (count ?? -1) + 1);
    if (count !== undefined) return undefined;
    // Before the line: an error there must not end the log of this code.
    const timer = setTimeout(() => {
      const more = repeats.get(code) ?? 0;
      repeats.delete(code);
      if (more === 0) return;
      // A host can replace the console, and nothing catches an error in a timer.
      void callDroppingErrors(() =>
        write(`express-merchant-auth ${code}: ${more} more within ${LINE_INTERVAL_MS / 1000} s`),
      );
    }, LINE_INTERVAL_MS);
    timer.unref();
    return write(lineOf(error));
  };
}

function lineOf({ code, detail, cause }: AuthError): string {
  return `express-merchant-auth ${code}: ${detail}${types.isNativeError(cause) ? ` Cause: ${describeError(cause)} ${HINT}` : ''}`;
}
