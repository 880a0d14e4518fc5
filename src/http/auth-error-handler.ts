import { AuthError } from '../errors/auth-error.js';
import { checkCalled } from '../options.js';
import type { ErrorRequestHandler } from './middleware.js';
import { describeFailure } from './read-body.js';
import { respondJson } from './refuse.js';

/** What body-parser calls the failures that are the caller's doing. */
const PARSER_FAILURES: ReadonlySet<unknown> = new Set([
  'charset.unsupported',
  'encoding.unsupported',
  'entity.parse.failed',
  'entity.too.large',
  'parameters.too.many',
  'querystring.parse.rangeError',
  'request.aborted',
  'request.size.invalid',
]);

/**
 * Makes the error handler that renders this package's errors, and those of the host's body parsers, in the JSON layout;
 * a parser's 413 and 415 stay what they are. Every other error goes on to the next handler, as does an error that comes
 * after the answer has begun, and what a parser's own `verify` threw. Mount it after the routes, before the host's own.
 * @throws TypeError when it is mounted without the call
 */
export function authErrorHandler(): ErrorRequestHandler;
export function authErrorHandler(...misused: unknown[]): ErrorRequestHandler {
  checkCalled('authErrorHandler', misused[0]);
  if (misused.length > 0) throw new TypeError('authErrorHandler takes no options.');

  return function authErrorHandlerMiddleware(err, req, res, next) {
    const error = err instanceof AuthError ? err : parserError(err);
    if (error === undefined || res.headersSent) next(err);
    else respondJson(error, req, res);
  };
}

function parserError(err: unknown): AuthError | undefined {
  const { type, code, status } = (err ?? {}) as { type?: string; code?: unknown; status?: unknown };
  const isCorruptEncoding = type === undefined && typeof code === 'string' && code.startsWith('Z_');
  if (!isCorruptEncoding && !PARSER_FAILURES.has(type)) return undefined;
  if (status !== 400 && status !== 413 && status !== 415) return undefined;
  const details = { description: describeFailure(type), cause: err };
  return status === 415
    ? new AuthError('unreadable_body', details)
    : new AuthError('invalid_body', { ...details, status });
}
