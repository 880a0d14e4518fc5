'use strict';

const { STATUS_CODES } = require('http');
const ApiError = require('../lib/api-error');

/** Errors of Express, its parsers and passport have a 4xx status. All other errors are faults of the server. */
function toApiError(err) {
  if (err instanceof ApiError) return err;
  if (err.code === 'wrong_credentials') return new ApiError(401, 'INVALID_CREDENTIALS', 'Wrong username or password');
  if (err.code === 'account_disabled') return new ApiError(403, 'ACCOUNT_DISABLED', 'This account is disabled');
  if (err.code === 'too_busy') return new ApiError(503, 'SERVICE_UNAVAILABLE', 'Service Unavailable');
  const status = err.status >= 400 && err.status < 500 ? err.status : 500;
  return new ApiError(status, STATUS_CODES[status].toUpperCase().replace(/\W/g, '_'), STATUS_CODES[status]);
}

exports.notFound = (req, res, next) => next(new ApiError(404, 'NOT_FOUND', 'Not Found'));

exports.errorHandler = (err, req, res, next) => {
  if (res.headersSent) return next(err);
  if (res.destroyed) return; // The client has disconnected.
  const { status, code, message } = toApiError(err);
  if (status === 429 || status === 503) res.set(err.headers);
  if (status === 500) console.error(err);
  res.status(status).json({ success: false, error: { code, message } });
};
