import type { IncomingMessage, ServerResponse } from 'node:http';
import { nextTick } from 'node:process';
import { json } from 'express';
import { AuthError } from '../errors/auth-error.js';
import { closeAfterAnswer } from './close-after-answer.js';
import type { IncomingRequest, Middleware } from './middleware.js';

/** The limits of a body that this package reads. */
export interface BodyLimits {
  /** The longest body, in bytes. */
  readonly bytes: number;
  /** The longest time in which the body arrives, in milliseconds. Default: no limit. */
  readonly timeoutMs?: number;
}

/** Reads JSON into `req.body`. @throws AuthError `invalid_body`; the error of the parser when the host caused it */
export type StreamReader = (req: IncomingRequest, res: ServerResponse) => Promise<unknown>;

/**
 * Makes a reader over `express.json()`, for a stream that nobody has read. It adds four things. The parser reads a body that
 * no header announces, or that another middleware marked as read. A body over the limit is refused at once, where the parser
 * reads it to its end. A socket that is no longer readable is an error, where the parser skips the body. The mark is set that
 * stops a body-parser 1 behind the guard from reading again.
 */
export function createStreamReader({ bytes, timeoutMs }: BodyLimits): StreamReader {
  const parseAnyway = withoutMarks(json({ limit: bytes, type: () => true }));

  return function readStream(req, res) {
    return new Promise((resolve, reject) => {
      let received = 0;
      const end = () => {
        clearTimeout(timer);
        req.off('data', onData);
      };
      const refuse = (type: string) => {
        end();
        closeAfterAnswer(req, res);
        reject(invalidBody(type));
      };
      const onData = (chunk: Uint8Array) => {
        received += chunk.length;
        if (received > bytes) refuse('entity.too.large');
      };
      const timer = timeoutMs === undefined ? undefined : setTimeout(() => refuse('request.timeout'), timeoutMs);
      if (Number(req.headers['content-length']) > bytes) {
        refuse('entity.too.large');
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
      req.on('data', onData);
      if (req.isPaused()) req.resume();
    });
  };
}

/** Wraps a parser that skips a body which no header announces, as on HTTP/2, or which a middleware marked as read. */
function withoutMarks(parse: Middleware): Middleware {
  return function parseAnyway(req: IncomingRequest, res, next) {
    const { headers } = req;
    const isUnannounced = headers['transfer-encoding'] === undefined && headers['content-length'] === undefined;
    if (isUnannounced) headers['transfer-encoding'] = 'chunked';
    if (req._body === true) req._body = false;
    parse(req, res, next);
    if (isUnannounced) delete headers['transfer-encoding'];
  };
}

/** Returns true when data was taken from the stream, or when the end of an empty stream was. Adapters have no stream. */
export function wasRead(req: IncomingMessage): boolean {
  return (req.readableDidRead as boolean | undefined) !== false || req.readableEnded;
}

/** Resolves to true at the first byte of a body, which it leaves unread, and to false at the end of an empty one. */
export function hasBytes(req: IncomingMessage): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const isPaused = req.isPaused();
    const end = () => {
      req.off('readable', onReadable).off('end', onEnd).off('error', onBroken).off('close', onBroken);
    };
    const onReadable = () => {
      // At the end of the stream, `read` makes the event.
      if (req.readableLength === 0) {
        req.read();
        return;
      }
      end();
      // Node.js lets a stream with a data listener flow again when its last readable listener is gone.
      nextTick(() => {
        if (isPaused) req.pause();
        resolve(true);
      });
    };
    const onEnd = () => {
      end();
      resolve(false);
    };
    const onBroken = (cause?: unknown) => {
      end();
      reject(invalidBody('request.aborted', cause));
    };
    if (req.destroyed) onBroken();
    else req.on('readable', onReadable).on('end', onEnd).on('error', onBroken).on('close', onBroken);
  });
}

/** The sentence that the caller gets for each failure, under body-parser's name for it. */
const FAILURES: Readonly<Record<string, string>> = {
  'entity.parse.failed': 'The body is not a valid JSON object or array.',
  'entity.too.large': 'The body is too large.',
  'request.timeout': 'The body did not arrive in time.',
  'charset.unsupported': 'The charset of the body is not supported. Send UTF-8.',
  'encoding.unsupported': 'The Content-Encoding of the body is not supported.',
};

/** Returns the sentence that the caller gets for a failure that body-parser gives this `type`. */
export function describeFailure(type = ''): string {
  return FAILURES[type] ?? 'The body could not be read.';
}

/**
 * A failure that the host caused (another middleware consumed or decoded the stream) stays the host's error. body-parser 1
 * gives such an error also when the caller disconnected before the body was read.
 */
function readFailure({ destroyed }: IncomingMessage, cause: unknown): Error {
  const { type, status = 0 } = (cause ?? {}) as { readonly type?: string; readonly status?: number };
  return status >= 500 && !destroyed ? (cause as Error) : invalidBody(type, cause);
}

/** The error of a parser quotes the body, which at login holds a password. So it is not kept as the cause. */
export function invalidBody(type: string | undefined, cause?: unknown): AuthError {
  return new AuthError('invalid_body', {
    description: describeFailure(type),
    cause: type === 'entity.parse.failed' ? undefined : cause,
  });
}
