import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { types } from 'node:util';
import { json } from 'express';
import { AuthError } from '../errors/auth-error.js';
import { isForm, isJson, type MediaType, mediaTypeOf } from './content-type.js';
import type { ExpressRequest, RequestHandler } from './middleware.js';

/** What is known of a request's body. */
export type Body =
  | { readonly kind: 'none' }
  | { readonly kind: 'value'; readonly value: unknown }
  /** There is one, and it cannot be seen from here. */
  | { readonly kind: 'unseen' }
  /** It could not be read, or is not what it says. */
  | { readonly kind: 'broken'; readonly error: AuthError };

/** Reads the body of a request, or finds at once what a parser in front left of it. It does not throw or reject. */
export type BodyReader = (req: ExpressRequest, res: ServerResponse) => Body | Promise<Body>;

const NONE: Body = { kind: 'none' };
const UNSEEN: Body = { kind: 'unseen' };

/**
 * Makes a reader. JSON that nobody has read is read by `express.json()` and left in `req.body`. Whether somebody has is
 * told by the stream: Express 4 puts `{}` into `req.body` where Express 5 puts nothing.
 * @param limit the most that is read, in bytes or as text like `'100kb'`
 */
export function createBodyReader(limit: number | string): BodyReader {
  const parse = json({ limit, type: () => true }) as unknown as RequestHandler;

  return function readBody(req, res) {
    const { headers } = req;
    const mediaType = mediaTypeOf(headers);
    if (!isAnnounced(headers) || wasRead(req)) return viewBody(req, mediaType);
    if (isJson(mediaType)) return parseStream(parse, req, res);
    return mediaType.type === '' ? lookForBytes(req) : UNSEEN;
  };
}

/** Data was taken from the stream, or it was empty and its end was. */
function wasRead(req: IncomingMessage): boolean {
  return req.readableDidRead || req.readableEnded;
}

/** RFC 9112 section 6: what says that a request has a body. */
function isAnnounced(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Two things that body-parser does not do by itself: it leaves the body alone, without an error, when the socket is no
 * longer readable; and version 2 does not leave the mark that keeps a version 1 behind the guard from reading again.
 */
function parseStream(parse: RequestHandler, req: ExpressRequest, res: ServerResponse): Promise<Body> {
  return new Promise((resolve) => {
    parse(req, res, (cause?: unknown) => {
      const { body } = req;
      if (cause === undefined && (!isLeftEmpty(body) || wasRead(req))) {
        req._body = true;
        resolve({ kind: 'value', value: body });
      } else {
        resolve(brokenBody((cause as { type?: string } | undefined)?.type, cause));
      }
    });
  });
}

/** The body as a parser, or a serverless adapter, left it in `req.body`. */
function viewBody(req: ExpressRequest, mediaType: MediaType): Body {
  const { body } = req;
  if (typeof body === 'string' || types.isUint8Array(body)) return viewText(body, mediaType);
  if (body === undefined) return req.readableDidRead ? UNSEEN : NONE;
  if (isLeftEmpty(body)) {
    if (!isAnnounced(req.headers) || (mediaType.type === '' && !req.readableDidRead)) return NONE;
    if (req.readableDidRead && !isJson(mediaType) && !isForm(mediaType)) return UNSEEN;
  }
  return { kind: 'value', value: body };
}

function viewText(body: string | Uint8Array, mediaType: MediaType): Body {
  if (body.length === 0) return NONE;
  const isText = typeof body === 'string';
  // Another charset can spell another document with the same bytes.
  if (!isJson(mediaType) || !(isText || mediaType.charset === 'utf-8')) return UNSEEN;
  try {
    return { kind: 'value', value: JSON.parse(isText ? body : new TextDecoder().decode(body)) as unknown };
  } catch {
    return brokenBody('entity.parse.failed');
  }
}

/** What parsers of Express 4 put where they parse nothing, so that somebody else may have read the body. */
function isLeftEmpty(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return body == null;
  return Object.getPrototypeOf(body) === Object.prototype && Object.keys(body).length === 0;
}

/** Waits for the first byte of a body without a media type, or for its end. */
function lookForBytes(req: IncomingMessage): Promise<Body> {
  return new Promise((resolve) => {
    const onReadable = () => {
      if (req.read() !== null) settle(UNSEEN);
    };
    const onEnd = () => {
      settle(NONE);
    };
    const onBroken = (cause?: unknown) => {
      settle(brokenBody('request.aborted', cause));
    };
    const settle = (body: Body) => {
      req.off('readable', onReadable).off('end', onEnd).off('error', onBroken).off('close', onBroken);
      // What is left of it must not hold up the next request on the connection.
      req.resume();
      resolve(body);
    };
    if (req.destroyed) onBroken();
    else req.on('readable', onReadable).on('end', onEnd).on('error', onBroken).on('close', onBroken);
  });
}

/** body-parser's name for a failure, and the sentence that the caller gets. */
const FAILURES: Readonly<Record<string, string>> = {
  'entity.parse.failed': 'The body is not a valid JSON object or array.',
  'entity.too.large': 'The body is too large.',
  'charset.unsupported': 'The charset of the body is not supported. Send UTF-8.',
  'encoding.unsupported': 'The Content-Encoding of the body is not supported.',
};

/** What the caller is told of a failure that body-parser gives this `type`. */
export function describeFailure(type = ''): string {
  return FAILURES[type] ?? 'The body could not be read.';
}

/** A parser's error quotes the body, which at login holds a password: it is no cause to hand on. */
function brokenBody(type: string | undefined, cause?: unknown): Body {
  const error = new AuthError('invalid_body', {
    description: describeFailure(type),
    cause: type === 'entity.parse.failed' ? undefined : cause,
  });
  return { kind: 'broken', error };
}
