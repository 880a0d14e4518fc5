import { types } from 'node:util';
import type { AuthError } from '../errors/auth-error.js';

/** How long errors with one code share a line, in milliseconds. */
const LINE_INTERVAL_MS = 1_000;

/** A frame of a V8 stack that names a place in a file. */
const FRAME = /^ +at .+:\d+:\d+\)?$/;

/**
 * Makes the default log of `authErrorHandler`: one line per second and code, with a count. A line holds the code, our own
 * sentence, the name and code of the cause, and the frames of its stack. It holds no message and no other member of the
 * cause, because drivers put bound values there.
 */
export function createErrorLog(write: (line: string) => void): (error: AuthError) => void {
  const repeats = new Map<string, number>();

  return function logError(error) {
    const { code } = error;
    const count = repeats.get(code);
    if (count !== undefined) {
      repeats.set(code, count + 1);
      return;
    }
    repeats.set(code, 0);
    write(lineOf(error));
    const timer = setTimeout(() => {
      const more = repeats.get(code) ?? 0;
      repeats.delete(code);
      if (more > 0) write(`express-merchant-auth ${code}: ${more} more within ${LINE_INTERVAL_MS / 1000} s`);
    }, LINE_INTERVAL_MS);
    timer.unref();
  };
}

function lineOf({ code, detail, cause }: AuthError): string {
  return `express-merchant-auth ${code}: ${detail}${types.isNativeError(cause) ? ` Cause: ${describeCause(cause)}` : ''}`;
}

function describeCause(cause: Error & { readonly code?: unknown }): string {
  const { name, code, message, stack = '' } = cause;
  // The stack begins with the message, which can have lines that look like frames.
  const isFrame = (line: string) => FRAME.test(line) && !message.includes(line.trim());
  const frames = stack.split('\n').filter(isFrame);
  const identity = typeof code === 'string' || typeof code === 'number' ? `${name} ${code}` : name;
  return [identity, ...frames.map((line) => line.trim())].join(' ');
}
