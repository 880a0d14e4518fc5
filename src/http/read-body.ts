import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { types } from 'node:util';
import { parse as parseContentType } from 'content-type';
import type { IncomingRequest } from './middleware.js';
import { type BodyLimits, createStreamReader, hasBytes, invalidBody, isEmptyObject, wasRead } from './read-stream.js';

/** The body of a request, as far as it can be seen. */
export type Body =
  | { readonly kind: 'none' }
  | { readonly kind: 'value'; readonly value: unknown }
  /** The request has a body that cannot be seen. */
  | { readonly kind: 'unseen' };

/** Reads the body of a request, or takes the value that a parser in front left. @throws AuthError `invalid_body` */
export type BodyReader = (req: IncomingRequest, res: ServerResponse) => Promise<Body>;

/** The format of a body (RFC 9110 section 8.3). */
interface MediaType {
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
function isJson({ type }: MediaType): boolean {
  return type === 'application/json' || type.endsWith('+json');
}

/**
 * Makes a reader. JSON that nobody has read is read into `req.body`. The stream decides whether somebody has read it,
 * because Express 4 puts `{}` into `req.body` where Express 5 puts nothing.
 */
export function createBodyReader(limits: BodyLimits): BodyReader {
  const readStream = createStreamReader(limits);

  return async function readBody(req, res) {
    const { headers } = req;
    const isUnread = hasBodyHeaders(headers) && !wasRead(req);
    if (!isUnread && req.body === undefined && !req.readableDidRead) return NONE;
    const mediaType = mediaTypeOf(headers);
    if (!isUnread) return viewBody(req, mediaType);
    if (isJson(mediaType)) return { kind: 'value', value: await readStream(req, res) };
    return mediaType.type !== '' || (await hasBytes(req)) ? UNSEEN : NONE;
  };
}

/** RFC 9112 section 6: the headers that announce a body. */
function hasBodyHeaders(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
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
