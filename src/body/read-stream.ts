import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'express';
import { AuthError } from '../errors/auth-error.js';
import { closeAfterAnswer } from './close-after-answer.js';
import { invalidBody, tooLarge } from './parser-failures.js';

/** The members that Express and parsers add to a request. Each of them can be missing. */
export interface IncomingRequest extends IncomingMessage {
  body?: unknown;
  query?: unknown;
  params?: unknown;
  /** The URL as it arrived. Express removes the mount path of a router from `url`. */
  readonly originalUrl?: string;
  /** True when body-parser 1 has read the body. */
  _body?: boolean;
}

/** The limits of a body that this package reads. */
export interface BodyLimits {
  /** The largest body, in bytes. */
  readonly bytes: number;
  /** Limits the time until the body has arrived, in milliseconds. Default: no limit. */
  readonly timeoutMs?: number;
}

/**
 * Reads JSON into `req.body`.
 * @throws AuthError `invalid_body`; the error of the parser when the host caused it
 */
export type StreamReader = (req: IncomingRequest, res: ServerResponse) => Promise<unknown>;

/** A middleware that reads the body. */
type Parser = (req: IncomingMessage, res: ServerResponse, next: (err?: unknown) => void) => void;

/**
 * Makes a reader over `express.json()`, for a stream that nothing has read. It differs from the parser in four points:
 * - It reads a body that no header announces, or that another middleware marked as read.
 * - It refuses a body over the limit at once. The parser would read such a body to its end.
 * - It fails when the socket is no longer readable. The parser would skip the body.
 * - It sets `req._body`, so that a later body-parser 1 does not read again.
 */
export function createStreamReader({ bytes, timeoutMs }: BodyLimits): StreamReader {
  const parseAnyway = withoutMarks(json({ limit: bytes, type: () => true }));

  return function readStream(req, res) {
    return new Promise((resolve, reject) => {
      const announced = Number(req.headers['content-length']);
      let received = 0;
      const end = () => {
        clearTimeout(timer);
        req.off('data', onData);
      };
      const refuse = (error: AuthError) => {
        end();
        closeAfterAnswer(req, res);
        reject(error);
      };
      const refuseSize = () => refuse(new AuthError('invalid_body', { description: tooLarge(bytes) }));
      const onData = (chunk: Uint8Array) => {
        received += chunk.length;
        if (received > bytes) refuseSize();
      };
      const timer =
        timeoutMs === undefined ? undefined : setTimeout(() => refuse(invalidBody('request.timeout')), timeoutMs);
      if (announced > bytes) {
        refuseSize();
        return;
      }
      parseAnyway(req, res, (cause?: unknown) => {
        end();
        if (cause !== undefined || !wasRead(req)) {
          reject(readFailure(req, cause));
          return;
        }
        req._body = true;
        resolve(req.body);
      });
      // Node.js keeps a body to its announced length, so only a body without one is counted.
      if (Number.isNaN(announced)) req.on('data', onData);
      if (req.isPaused()) req.resume();
    });
  };
}

/**
 * Wraps a parser so that it reads every body. A parser skips a body that no header announces, as on HTTP/2. It also
 * skips a body that a middleware marked as read.
 */
function withoutMarks(parse: Parser): Parser {
  return function parseAnyway(req: IncomingRequest, res, next) {
    const { headers } = req;
    const isUnannounced = headers['transfer-encoding'] === undefined && headers['content-length'] === undefined;
    if (isUnannounced) headers['transfer-encoding'] = 'chunked';
    if (req._body === true) req._body = false;
    parse(req, res, next);
    if (isUnannounced) delete headers['transfer-encoding'];
  };
}

/**
 * Returns true when data was taken from the stream, or when an empty stream has ended. Also true for a serverless
 * adapter without a stream.
 */
export function wasRead(req: IncomingMessage): boolean {
  return (req.readableDidRead as boolean | undefined) !== false || req.readableEnded;
}

/**
 * Returns the error of a failed read. An error that the host caused stays as it is, for example when another middleware
 * consumed the stream. Body-parser 1 reports the same error when the caller disconnected too early, which is an error of
 * the caller.
 */
function readFailure({ destroyed }: IncomingMessage, cause: unknown): Error {
  const { type, status = 0 } = (cause ?? {}) as { readonly type?: string; readonly status?: number };
  return status >= 500 && !destroyed ? (cause as Error) : invalidBody(type, cause);
}
