import type { RequestHandler } from 'express';
import { rateLimit } from 'express-rate-limit';
import { merchantOf } from 'express-merchant-auth';
import { ApiError } from '../errors/api-error.js';

const WINDOW_MS = 60_000;

/**
 * Limits the requests of each merchant in a minute, whatever address they come from. Mount it after the guard. It counts
 * in the memory of this process, so N processes allow up to N times as many.
 */
export function limitPerMerchant(requestsPerMinute: number): RequestHandler {
  return rateLimit({
    windowMs: WINDOW_MS,
    limit: requestsPerMinute,
    keyGenerator: (req) => merchantOf(req).id,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    handler(_req, res, next) {
      // The library has set this header before it calls the handler.
      next(new ApiError('too_many_requests', { retryAfterSeconds: Number(res.getHeader('Retry-After')) }));
    },
  });
}
