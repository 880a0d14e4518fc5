import type { ErrorRequestHandler } from 'express';
import type { Logger } from '../operations/logger.js';
import { DatabaseUnavailable } from '../stores/database-unavailable.js';
import { ApiError } from './api-error.js';

/** As many seconds as the package's own `store_unavailable` names. */
const RETRY_AFTER_SECONDS = '5';

/** Logs the errors that this app did not choose as its answer, and passes every error on. */
export function logErrors(logger: Logger): ErrorRequestHandler {
  return function errorLogger(error, _req, _res, next) {
    if (!(error instanceof ApiError)) logger.error({ trace: traceOf(error) }, 'Request failed');
    next(error);
  };
}

/** Answers every error that nobody before it has answered, and tells the caller nothing of an unexpected one. */
export const answerErrors: ErrorRequestHandler = function errorAnswerer(error, _req, res, next) {
  if (res.headersSent) {
    next(error);
    return;
  }
  const apiError = asApiError(error);
  if (apiError.status === 503) res.set('Retry-After', RETRY_AFTER_SECONDS);
  res.status(apiError.status).json(apiError);
};

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof DatabaseUnavailable) {
    return new ApiError('transactions_unavailable', 'Transactions cannot be reached right now. Try again later.');
  }
  return new ApiError('internal_error', 'Something went wrong here. Try again later.');
}

/** Stacks only: other members of an error can hold the request, and with it a password or a token. */
function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return 'A value that is not an Error was thrown.';
  const trace = error.stack ?? error.message;
  return error.cause === undefined ? trace : `${trace}\nCaused by: ${traceOf(error.cause)}`;
}
