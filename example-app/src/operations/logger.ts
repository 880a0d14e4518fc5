import { AsyncResource } from 'node:async_hooks';
import type { RequestHandler } from 'express';
import { type AuthErrorHandlerOptions, type AuthEvent, onAuthEvent } from 'express-merchant-auth';
import { type DestinationStream, type LevelWithSilent, type Logger, pino } from 'pino';
import { describeFailure } from './failure.js';
import { currentRequest } from './request-context.js';
import { routeOf } from './route-of.js';

export type { Logger };

/** The level of each event: `error` for what the host must fix, `warn` for what an operator watches. */
const LEVELS: Readonly<Record<AuthEvent['type'], 'info' | 'warn' | 'error'>> = {
  login_succeeded: 'info',
  login_failed: 'info',
  login_throttled: 'warn',
  login_shed: 'error',
  hash_upgraded: 'info',
  hash_not_upgraded: 'warn',
  token_refused: 'info',
  source_refused: 'warn',
  ownership_refused: 'info',
  login_forgiven: 'warn',
  keys_replaced: 'warn',
  store_failed: 'error',
};

/** Writes JSON lines to stdout, or to `destination`. Every line holds the process id, and those of a request its id. */
export function createLogger(level: LevelWithSilent, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { pid: process.pid },
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
      logger[levelOf(status)](
        { route, status, milliseconds },
        status === undefined ? 'Request aborted' : 'Request answered',
      );
    };
    // Without the binding, the event has the context of the connection, which may serve several requests.
    res.once('close', AsyncResource.bind(logAnswer));
    next();
  };
}

function levelOf(status = 0): 'info' | 'warn' | 'error' {
  if (status >= 500) return 'error';
  return status === 429 ? 'warn' : 'info';
}

/**
 * Logs each decision of login and guard. The line has the id of the request, because the package reports an event while
 * it serves that request.
 * @returns a function that ends the logging
 */
export function logAuthEvents(logger: Logger): () => void {
  return onAuthEvent((event) => {
    logger[LEVELS[event.type]]({ audit: factsOf(event) }, event.type);
  });
}

/** Replaces the cause by its name and code. */
function factsOf(event: AuthEvent): object {
  if (!('cause' in event)) return event;
  const { name, code } = describeFailure(event.cause);
  return { ...event, cause: { name, code } };
}

/** Logs the errors that the host must fix, with the stack frames of the cause. Pass it to `authErrorHandler`. */
export function logHostErrors(logger: Logger): NonNullable<AuthErrorHandlerOptions['log']> {
  return ({ code, detail, cause }) => logger.error({ error: code, cause: describeFailure(cause) }, detail);
}

/** Logs the warnings of the process, in place of the listener with which Node.js prints them. */
export function logWarnings(logger: Logger): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, code, message }: NodeJS.ErrnoException) => {
    logger.warn({ warning: { name, code } }, message);
  });
}
