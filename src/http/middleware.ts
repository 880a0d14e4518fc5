import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import type { AuthError } from '../errors/auth-error.js';
import type { ReferenceMode } from '../options/reference-mode.js';

/**
 * A middleware with the types of `node:http`, so that it fits before handlers with typed params, queries and bodies.
 */
export type Middleware = (req: IncomingMessage, res: ServerResponse, next: (err?: unknown) => void) => void;

/** An error handler. Express recognizes it by its four parameters. */
export type ErrorMiddleware = (
  err: unknown,
  req: IncomingMessage,
  res: ServerResponse,
  next: (err?: unknown) => void,
) => void;

/**
 * Writes the answer to a refused request, and may be async. An error that `respond` throws or rejects with goes to
 * `next`. A call of `next` leaves the answer to the host's error handler, which always gets an error, even after
 * `next()`, so that a refused request never reaches its route.
 */
export type Respond = (error: AuthError, req: Request, res: Response, next: NextFunction) => unknown;

export type HandlerChecks =
  | { readonly kind: 'login' | 'ownReference' }
  | {
      readonly kind: 'bearer';
      /** True when the guard reads the account again on every request. */
      readonly account: boolean;
      readonly reference: ReferenceMode;
      readonly referenceNames: readonly string[];
    };

/** Add 1 when a reader of the older mark would misread the new one. */
const VERSION = 1;

/**
 * Marks a handler with its checks, for tools such as express-merchant-auth-audit. audit/README.md describes the mark. Its
 * `handler` tells the marked function from one that has copies of its properties. The string key is for packages that wrap
 * handlers, because they copy no symbol.
 */
export function markHandler<Handler extends object>(handler: Handler, checks: HandlerChecks): Handler {
  const mark = Object.freeze({ version: VERSION, handler, ...checks });
  return Object.assign(handler, { [Symbol.for('express-merchant-auth.mark')]: mark, expressMerchantAuth: mark });
}
