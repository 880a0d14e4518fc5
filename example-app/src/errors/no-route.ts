import type { RequestHandler } from 'express';
import { methodsOf } from '../operations/route-of.js';
import { ApiError } from './api-error.js';

/** Limits the part of the path that an answer quotes, in characters. */
const MAX_QUOTED = 100;

/** Refuses a request that no route has answered. It quotes no query, because a query can have secrets. */
export const refuseUnknown: RequestHandler = function unknownRefuser({ method, path }) {
  const methods = methodsOf(path);
  const allowed = methods.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : name));
  // An unknown file below /docs has the path of a route and no answer.
  if (methods.length > 0 && !allowed.includes(method)) {
    const headers = { Allow: allowed.join(', ') };
    throw new ApiError('method_not_allowed', { description: `Use ${methods.join(' or ')}.`, headers });
  }
  const quoted = path.length > MAX_QUOTED ? `${path.slice(0, MAX_QUOTED)}...` : path;
  throw new ApiError('not_found', { description: `There is no route ${method} ${quoted}.` });
};
