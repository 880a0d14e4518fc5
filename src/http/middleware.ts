import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import type { AuthError } from '../errors/auth-error.js';

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

/** The mode of a guard for the references in a request. */
export type ReferenceMode = 'own' | 'reported' | 'unchecked';

/** Describes a handler of this package to `auditRoutes`. */
export type HandlerMark =
  | { readonly kind: 'login' | 'ownReference' }
  | {
      readonly kind: 'bearer';
      /** True when the guard reads the account again on every request. */
      readonly account: boolean;
      readonly reference: ReferenceMode;
    };

/** Holds the mark of each handler, and each mark itself, because other code could forge a property. */
const marks = new WeakMap<object, HandlerMark>();

/** The property with the mark. It is a string and enumerable, because packages that wrap handlers copy nothing else. */
const MARK = 'expressMerchantAuth';

/** Marks a handler as one of this package, which other code cannot do. */
export function markHandler<Handler extends object>(handler: Handler, mark: HandlerMark): Handler {
  Object.freeze(mark);
  marks.set(handler, mark).set(mark, mark);
  return Object.assign(handler, { [MARK]: mark });
}

/** Returns the mark of a handler, or `undefined` for one that this copy of the package did not make. */
export function markOf(handler: object): HandlerMark | undefined {
  return marks.get(handler);
}

/**
 * Returns the mark that a function has as a property. A wrapper of a handler has one, and a function to which the host
 * copied the properties of a handler has it too.
 */
export function copiedMarkOf(wrapper: object): HandlerMark | undefined {
  const mark = (wrapper as { readonly [MARK]?: unknown })[MARK];
  return mark instanceof Object ? marks.get(mark) : undefined;
}
