import type { ErrorRequestHandler } from 'express';
import type { Logger } from '../operations/logger.js';
import { DatabaseUnavailable } from '../stores/database-unavailable.js';
import { ApiError } from './api-error.js';

/** Logs each error that is not an `ApiError`, and passes every error on. */
export function logErrors(logger: Logger): ErrorRequestHandler {
  return function errorLogger(error, _req, _res, next) {
    if (!(error instanceof ApiError)) logger.error({ trace: traceOf(error) }, 'Request failed');
    next(error);
  };
}

/** Answers every error. The answer to an unexpected error contains no details. */
export const answerErrors: ErrorRequestHandler = function errorAnswerer(error, _req, res, next) {
  if (res.headersSent) {
    next(error);
    return;
  }
  const apiError = asApiError(error);
  res.status(apiError.status).set(apiError.headers).json(apiError);
};

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(error instanceof DatabaseUnavailable ? 'transactions_unavailable' : 'internal_error');
}

/** Returns only stacks, because other members of an error can hold the request with a password or a token. */
function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return 'A value that is not an Error was thrown.';
  const trace = error.stack ?? error.message;
  return error.cause === undefined ? trace : `${trace}\nCaused by: ${traceOf(error.cause)}`;
}
