import { AsyncResource } from 'node:async_hooks';
import type { RequestHandler } from 'express';
import { type AuthEvent, onAuthEvent } from 'express-merchant-auth';
import { type DestinationStream, type LevelWithSilent, type Logger, pino } from 'pino';
import { currentRequest } from './request-context.js';
import { routeOf } from './route-of.js';

export type { Logger };

/** Writes JSON lines to stdout, or to `destination`. Every line of a request holds its id. */
export function createLogger(level: LevelWithSilent, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (name: string) => ({ level: name }) },
    mixin: () => ({ ...currentRequest() }),
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/**
 * Logs each answer. The line holds no header, no body and no URL, because all three can contain a token.
 */
export function logRequests(logger: Logger): RequestHandler {
  return function requestLogger(req, res, next) {
    const startedAt = performance.now();
    const route = routeOf(req);
    const logAnswer = () => {
      const status = res.writableFinished ? res.statusCode : undefined;
      const milliseconds = Math.round(performance.now() - startedAt);
      logger.info({ route, status, milliseconds }, status === undefined ? 'Request aborted' : 'Request answered');
    };
    // Without the binding, the event has the context of the connection, which may serve several requests.
    res.once('close', AsyncResource.bind(logAnswer));
    next();
  };
}

/**
 * Logs each decision of login and guard. The line has the id of the request, because the package reports an event while
 * it serves that request.
 * @returns a function that ends the logging
 */
export function logAuthEvents(logger: Logger): () => void {
  return onAuthEvent((event) => {
    logger.info({ audit: factsOf(event) }, event.type);
  });
}

/** Replaces the cause by its name and code, because the message of a driver's error can contain bound values. */
function factsOf(event: AuthEvent): object {
  if (!('cause' in event)) return event;
  const { name, code } = (event.cause ?? {}) as { readonly name?: unknown; readonly code?: unknown };
  return { ...event, cause: { name, code } };
}
