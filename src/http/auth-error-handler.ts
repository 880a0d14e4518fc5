import type { Request } from 'express';
import { refusalOfParser } from '../body/parser-failures.js';
import { AuthError, isAuthError } from '../errors/auth-error.js';
import { callDroppingErrors } from '../base/host-calls.js';
import { callback, type OptionParsers, parseOptions } from '../base/parse-options.js';
import { isDisconnect } from '../queue/disconnect.js';
import { createErrorLog } from './error-log.js';
import type { ErrorMiddleware, Respond } from './middleware.js';
import { callRespond, respondJson } from './answer.js';

export interface AuthErrorHandlerOptions {
  /**
   * Writes the answer. Default: the status, the headers and the JSON body of the error. `(error, req, res, next) =>
   * next(error)` leaves it to the next error handler.
   */
  readonly respond?: Respond;
  /**
   * Logs each error that the host must fix: the store or a hash failed, the store broke its contract, or a body was
   * lost. The store's own error is in `cause`. The answer waits for an async `log`, whose errors are dropped. Default:
   * one line per second and code on stderr, and one with the number of further errors. The lines leave out the messages
   * of database drivers, because they can contain values of accounts.
   */
  readonly log?: (error: AuthError, req: Request) => unknown;
}

const OPTIONS = {
  respond: callback<Respond>(respondJson),
  log: callback<AuthErrorHandlerOptions['log']>(undefined),
} satisfies OptionParsers<AuthErrorHandlerOptions>;

/**
 * Makes the error handler that answers in the JSON layout and logs the errors that the host must fix. It answers
 * - the errors of this package
 * - the errors of body parsers that the caller caused, with the 413 or 415 that the parser set
 * - Express's own 400 for a path that cannot be decoded
 *
 * It ends the request of a `Login.attempt` that rejected with its `AbortError`, without an answer. Its caller has
 * disconnected, or a tool that watches passport-local has answered it.
 *
 * Every other error goes to the next handler, including an error after the answer has begun, and one that the `verify`
 * function of a parser threw. Mount it after the routes and before the host's own error handler.
 * @throws TypeError for an unknown option, or when it is mounted without the call
 */
export function authErrorHandler(options: AuthErrorHandlerOptions = {}): ErrorMiddleware {
  const parsed = parseOptions('authErrorHandler', options, OPTIONS);
  const { respond, log = createErrorLog((line) => console.error(line)) } = parsed;

  const logAndRespond: Respond = async (error, req, res, next) => {
    if (error.hostSide) await callDroppingErrors(() => log(error, req));
    if (res.headersSent) next(error);
    else await respond(error, req, res, next);
  };

  return function authErrorHandlerMiddleware(err, req, res, next) {
    if (isDisconnect(err, req)) return;
    const error = isAuthError(err) || res.headersSent ? err : requestError(err);
    if (isAuthError(error)) callRespond(error, logAndRespond, req, res, next);
    else next(err);
  };
}

function requestError(err: unknown): AuthError | undefined {
  const isUndecodable = err instanceof URIError && (err as { readonly status?: unknown }).status === 400;
  return isUndecodable ? new AuthError('invalid_url', { cause: err }) : refusalOfParser(err);
}
