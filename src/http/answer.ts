import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import { asError } from '../base/as-error.js';
import { callAsync } from '../base/host-calls.js';
import { AuthError } from '../errors/auth-error.js';
import type { Respond } from './middleware.js';

type Next = (err?: unknown) => void;

/** Ends a response with JSON, by the methods of Node.js alone. */
export function writeJson(
  res: ServerResponse,
  status: number,
  json: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  res.statusCode = status;
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', Buffer.byteLength(json));
  res.end(json);
}

export function respondJson(error: AuthError, _req: IncomingMessage, res: ServerResponse): void {
  writeJson(res, error.status, JSON.stringify(error), error.headers);
}

/** Ends a refused request: an error of the caller goes to `respond`, and one that the host must fix goes to `next`. */
export function refuse(error: unknown, respond: Respond, req: IncomingMessage, res: ServerResponse, next: Next): void {
  if (error instanceof AuthError && !error.hostSide) callRespond(error, respond, req, res, next);
  else next(asError(error));
}

/** Calls `respond` for an error. `next` is called at most once, and always with an error. */
export function callRespond(
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
  // Express goes on to another handler for `undefined`, 'route' and 'router', which a refused request must not reach.
  const onNext: Next = (reason) => passOn(reason instanceof Error ? reason : error);
  callAsync(() => respond(error, req as Request, res as Response, onNext)).catch(passOn);
}
