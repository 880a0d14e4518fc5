import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import type { AuthError } from '../errors/auth-error.js';

/** Has the types of `node:http`, so that it fits before handlers with typed params, queries and bodies. */
export type Middleware = (req: IncomingMessage, res: ServerResponse, next: (err?: unknown) => void) => void;

/** Express recognizes an error handler by its four parameters. */
export type ErrorMiddleware = (
  err: unknown,
  req: IncomingMessage,
  res: ServerResponse,
  next: (err?: unknown) => void,
) => void;

/**
 * Writes the answer to a refused request, and may be async. An error that it throws or rejects with goes to `next`.
 * `next` leaves the answer to the host's error handler, which gets an error even after `next()`, so that a refused
 * request never reaches its route.
 */
export type Respond = (error: AuthError, req: Request, res: Response, next: NextFunction) => unknown;
