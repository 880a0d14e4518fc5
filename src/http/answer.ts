import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import { asError } from '../base/as-error.js';
import { callAsync } from '../base/host-calls.js';
import { AuthError } from '../errors/auth-error.js';
import type { Respond } from './middleware.js';

type Next = (err?: unknown) => void;

export function writeJson(
  res: ServerResponse,
  status: number,
  json: string,
  headers: Readonly<Record<string, string>>,
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

/** The host must fix an error that goes to `next`. All others go to `respond`. */
export function refuse(error: unknown, respond: Respond, req: IncomingMessage, res: ServerResponse, next: Next): void {
  if (error instanceof AuthError && !error.hostSide) callRespond(error, respond, req, res, next);
  else next(asError(error));
}

/** Calls `next` at most once, and always with an error. */
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
  // For `undefined`, 'route' and 'router', Express would let a refused request reach another handler.
  const onNext: Next = (reason) => passOn(reason instanceof Error ? reason : error);
  callAsync(() => respond(error, req as Request, res as Response, onNext)).catch(passOn);
}
