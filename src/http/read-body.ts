import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { types } from 'node:util';
import { parse as parseContentType } from 'content-type';
import { json } from 'express';
import { AuthError } from '../errors/auth-error.js';
import type { IncomingRequest, Middleware } from './middleware.js';

/** The body of a request, as far as it can be seen. */
export type Body =
  | { readonly kind: 'none' }
  | { readonly kind: 'value'; readonly value: unknown }
  /** The request has a body that cannot be seen. */
  | { readonly kind: 'unseen' };

/** Reads the body of a request, or takes the value that a parser in front left. @throws AuthError `invalid_body` */
export type BodyReader = (req: IncomingRequest, res: ServerResponse) => Promise<Body>;

/** The format of a body (RFC 9110 section 8.3). */
export interface MediaType {
  /** In lower case, without parameters; empty when the request names none. */
  readonly type: string;
  /** In lower case; UTF-8 when the request names none. */
  readonly charset: string;
}

const NONE: Body = { kind: 'none' };
const UNSEEN: Body = { kind: 'unseen' };

export function mediaTypeOf(headers: IncomingHttpHeaders): MediaType {
  const { type, parameters } = parseContentType(headers['content-type'] ?? '');
  return { type: type.toLowerCase(), charset: (parameters['charset'] ?? 'utf-8').toLowerCase() };
}

/** Returns true for `application/json` and for formats built on it (RFC 6839 section 3.1). */
export function isJson({ type }: MediaType): boolean {
  return type === 'application/json' || type.endsWith('+json');
}

/**
 * Makes a reader. `express.json()` reads JSON that nobody has read, into `req.body`. The stream decides whether somebody
 * has read it, because Express 4 puts `{}` into `req.body` where Express 5 puts nothing.
 * @param limit the longest body that is read, in bytes or as text like `'100kb'`
 */
export function createBodyReader(limit: number | string): BodyReader {
  const parse = json({ limit, type: () => true }) as unknown as Middleware;

  return async function readBody(req, res) {
    const { headers } = req;
    const isUnread = hasBodyHeaders(headers) && !wasRead(req);
    if (!isUnread && req.body === undefined && !req.readableDidRead) return NONE;
    const mediaType = mediaTypeOf(headers);
    if (!isUnread) return viewBody(req, mediaType);
    if (isJson(mediaType)) return parseStream(parse, req, res);
    return mediaType.type === '' ? lookForBytes(req) : UNSEEN;
  };
}

/** Returns true when data was taken from the stream, or when the end of an empty stream was. */
function wasRead(req: IncomingMessage): boolean {
  return req.readableDidRead || req.readableEnded;
}

/** RFC 9112 section 6: the headers that announce a body. */
function hasBodyHeaders(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Adds two things to body-parser. It skips the body without an error when the socket is no longer readable; here that is
 * an error. Version 2 does not set the mark that stops a version 1 behind the guard; here it is set.
 */
function parseStream(parse: Middleware, req: IncomingRequest, res: ServerResponse): Promise<Body> {
  return new Promise((resolve, reject) => {
    parse(req, res, (cause?: unknown) => {
      const { body } = req;
      if (cause === undefined && (!isEmptyObject(body) || wasRead(req))) {
        req._body = true;
        resolve({ kind: 'value', value: body });
      } else {
        reject(readFailure(req, cause));
      }
    });
  });
}

/** Returns the body as a parser, or a serverless adapter, left it in `req.body`. */
function viewBody(req: IncomingRequest, mediaType: MediaType): Body {
  const { body } = req;
  if (typeof body === 'string' || types.isUint8Array(body)) return viewText(body, mediaType);
  if (body === undefined) return UNSEEN;
  if (isEmptyObject(body)) {
    if (!hasBodyHeaders(req.headers) || (mediaType.type === '' && !req.readableDidRead)) return NONE;
    const isForm = mediaType.type === 'application/x-www-form-urlencoded';
    if (req.readableDidRead && !isJson(mediaType) && !isForm) return UNSEEN;
  }
  return { kind: 'value', value: body };
}

function viewText(body: string | Uint8Array, mediaType: MediaType): Body {
  if (body.length === 0) return NONE;
  const isText = typeof body === 'string';
  // The same bytes can be another document in another charset.
  if (!isJson(mediaType) || !(isText || mediaType.charset === 'utf-8')) return UNSEEN;
  try {
    return { kind: 'value', value: JSON.parse(isText ? body : new TextDecoder().decode(body)) as unknown };
  } catch {
    throw invalidBody('entity.parse.failed');
  }
}

/** Returns true for the value that parsers of Express 4 leave where they parse nothing. */
function isEmptyObject(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return body == null;
  return Object.getPrototypeOf(body) === Object.prototype && Object.keys(body).length === 0;
}

/** Waits for the first byte of a body without a media type, or for its end. */
function lookForBytes(req: IncomingMessage): Promise<Body> {
  return new Promise((resolve, reject) => {
    const end = () => {
      req.off('readable', onReadable).off('end', onEnd).off('error', onBroken).off('close', onBroken);
      // The rest must not delay the next request on the connection.
      req.resume();
    };
    const onReadable = () => {
      if (req.read() === null) return;
      end();
      resolve(UNSEEN);
    };
    const onEnd = () => {
      end();
      resolve(NONE);
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
function invalidBody(type: string | undefined, cause?: unknown): AuthError {
  return new AuthError('invalid_body', {
    description: describeFailure(type),
    cause: type === 'entity.parse.failed' ? undefined : cause,
  });
}
