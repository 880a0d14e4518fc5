import type { IncomingMessage, ServerResponse } from 'node:http';

/** Express's `next`: no argument goes on, an error goes to the host's error handlers. */
export type Next = (err?: unknown) => void;

/** A middleware typed on Node's own request, so that it fits in front of handlers with typed params, queries and bodies. */
export type RequestHandler = (req: IncomingMessage, res: ServerResponse, next: Next) => void;

/** An error handler, known to Express by its four parameters. */
export type ErrorRequestHandler = (err: unknown, req: IncomingMessage, res: ServerResponse, next: Next) => void;

/** What Express and parsers put on a request. Nothing here is certain to be there. */
export interface ExpressRequest extends IncomingMessage {
  body?: unknown;
  query?: unknown;
  params?: unknown;
  user?: unknown;
  /** The mark of body-parser 1 on a request whose body was read. */
  _body?: boolean;
}
