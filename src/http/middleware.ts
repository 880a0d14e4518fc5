import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import type { AuthError } from '../errors/auth-error.js';

/** A middleware typed on Node's own request, so that it fits before handlers with typed params, queries and bodies. */
export type Middleware = (req: IncomingMessage, res: ServerResponse, next: (err?: unknown) => void) => void;

/** An error handler. Express recognizes it by its four parameters. */
export type ErrorMiddleware = (
  err: unknown,
  req: IncomingMessage,
  res: ServerResponse,
  next: (err?: unknown) => void,
) => void;

/**
 * Writes the answer to a refused request. It may be async. An error that it throws or rejects with goes to `next`. A call
 * of `next` leaves the answer to the host's error handler, which gets the refusal also when `next` is called without an
 * argument, so that a refusal never becomes a pass.
 */
export type Respond = (error: AuthError, req: Request, res: Response, next: NextFunction) => unknown;

/** The members that Express and parsers add to a request. Each of them can be missing. */
export interface IncomingRequest extends IncomingMessage {
  body?: unknown;
  query?: unknown;
  params?: unknown;
  /** The URL as it arrived. Express cuts `url` for a router below a path. */
  readonly originalUrl?: string;
  /** Marks a request whose body body-parser 1 has read. */
  _body?: boolean;
}
