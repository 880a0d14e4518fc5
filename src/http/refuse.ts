import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import { asError } from '../errors/as-error.js';
import { AuthError } from '../errors/auth-error.js';
import { callAsync } from '../errors/call-async.js';
import { entryOf } from '../errors/catalogue.js';
import type { Respond } from './middleware.js';
import { writeJson } from './write-json.js';

type Next = (err?: unknown) => void;

/** The default `respond`: status, headers and the JSON layout. */
export function respondJson(error: AuthError, _req: IncomingMessage, res: ServerResponse): void {
  writeJson(res, error.status, JSON.stringify(error), error.headers);
}

/** Ends a request that did not pass. The caller's mistakes go to `respond`; errors that the host must fix go to `next`. */
export function refuse(error: unknown, respond: Respond, req: IncomingMessage, res: ServerResponse, next: Next): void {
  if (error instanceof AuthError && !entryOf(error.code).hostSide) answer(error, respond, req, res, next);
  else next(asError(error));
}

/** Calls `respond` for an error. `next` is called at most once, and always with an error. */
export function answer(
  error: AuthError,
  respond: Respond,
  req: IncomingMessage,
  res: ServerResponse,
  next: Next,
): void {
  let isPassedOn = false;
  const passOn = (reason: unknown) => {
    if (isPassedOn) return;
    isPassedOn = true;
    next(asError(reason));
  };
  // Express continues with the next handler for undefined, 'route' and 'router'. A refusal must not.
  const onNext: Next = (reason) => passOn(reason instanceof Error ? reason : error);
  callAsync(() => respond(error, req as Request, res as Response, onNext)).catch(passOn);
}
