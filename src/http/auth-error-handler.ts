import type { Request } from 'express';
import { AuthError } from '../errors/auth-error.js';
import { entryOf } from '../errors/catalogue.js';
import { callback, type OptionParsers, parseOptions } from '../options/parse-options.js';
import { createErrorLog } from './error-log.js';
import type { ErrorMiddleware, Respond } from './middleware.js';
import { describeFailure } from './read-stream.js';
import { answer, respondJson } from './refuse.js';

export interface AuthErrorHandlerOptions {
  /** Writes the answer. Default: the JSON layout. `(error, req, res, next) => next(error)` leaves it to the next handler. */
  readonly respond?: Respond;
  /**
   * Gets each error that the host must fix (`store_unavailable`, `malformed_account`), with its `cause`. Default: one line
   * per second and code on stderr, without the messages of drivers, because those hold bound values.
   */
  readonly log?: (error: AuthError, req: Request) => unknown;
}

type Log = NonNullable<AuthErrorHandlerOptions['log']>;

const OPTIONS = {
  respond: callback<Respond>(respondJson),
  log: (where, value) => callback<Log>(createErrorLog((line) => console.error(line)))(where, value),
} satisfies OptionParsers<AuthErrorHandlerOptions>;

/** The names that body-parser gives to failures that the caller caused. */
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
 * Makes the error handler that answers in the JSON layout and logs the errors that the host must fix. It answers this
 * package's errors, those of the host's body parsers (with the 413 or 415 that the parser set) and Express's own 400 for a
 * path that cannot be decoded. Every other error goes on to the next handler, also an error after the answer has begun and
 * an error that a parser's own `verify` threw. Mount it after the routes and before the host's own error handler.
 * @throws TypeError for an unknown option, or when it is mounted without the call
 */
export function authErrorHandler(options: AuthErrorHandlerOptions = {}): ErrorMiddleware {
  const { respond, log } = parseOptions('authErrorHandler', options, OPTIONS);

  const logAndRespond: Respond = async (error, req, res, next) => {
    if (entryOf(error.code).hostSide) await log(error, req);
    if (res.headersSent) next(error);
    else await respond(error, req, res, next);
  };

  return function authErrorHandlerMiddleware(err, req, res, next) {
    const error = err instanceof AuthError || res.headersSent ? err : requestError(err);
    if (error instanceof AuthError) answer(error, logAndRespond, req, res, next);
    else next(err);
  };
}

/** Returns the answer to an error of the host's parsers or of Express that the caller caused. */
function requestError(err: unknown): AuthError | undefined {
  const { type, code, status } = (err ?? {}) as { type?: string; code?: unknown; status?: unknown };
  if (err instanceof URIError && status === 400) {
    const description = 'The path of the URL cannot be decoded. Percent-encode it as UTF-8.';
    return new AuthError('invalid_body', { message: 'URL not valid', description, cause: err });
  }
  const isCorruptEncoding = type === undefined && typeof code === 'string' && code.startsWith('Z_');
  if (!isCorruptEncoding && !PARSER_FAILURES.has(type)) return undefined;
  if (status !== 400 && status !== 413 && status !== 415) return undefined;
  const details = { description: describeFailure(type), cause: err };
  return status === 415
    ? new AuthError('unreadable_body', details)
    : new AuthError('invalid_body', { ...details, status });
}
