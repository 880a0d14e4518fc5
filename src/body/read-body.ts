import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { parse as parseContentType } from 'content-type';
import { announcedLength } from './announced-length.js';
import { hasBytes, hasEnd, isBeingRead } from './await-stream.js';
import { kindOf } from './body-kind.js';
import { invalidBody } from './parser-failures.js';
import { type BodyLimits, createStreamReader, type IncomingRequest, wasRead } from './read-stream.js';

/** The body of a request, as the ownership check sees it. */
export type Body =
  | { readonly kind: 'none' }
  | { readonly kind: 'value'; readonly value: unknown }
  /** The request has a body, but its members cannot be seen. */
  | { readonly kind: 'unseen' };

/**
 * Reads the body of a request, or takes the value that an earlier parser left.
 * @throws AuthError `invalid_body`
 */
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

/** The length of the shortest body that can have a `refercence_cl`, in bytes. */
const ROOM_FOR_A_REFERENCE = 'refercence_cl='.length;

export function mediaTypeOf(headers: IncomingHttpHeaders): MediaType {
  const { type, parameters } = parseContentType(headers['content-type'] ?? '');
  return { type: type.toLowerCase(), charset: (parameters['charset'] ?? 'utf-8').toLowerCase() };
}

/** Returns true for `application/json` and for formats built on it (RFC 6839 section 3.1). */
function isJson({ type }: MediaType): boolean {
  return type === 'application/json' || type.endsWith('+json');
}

/**
 * Makes a reader that reads JSON into `req.body` if nothing has read it yet. The state of the stream shows that. The
 * value of `req.body` does not, because Express 4 puts `{}` there where Express 5 puts nothing.
 */
export function createBodyReader(limits: BodyLimits): BodyReader {
  const readStream = createStreamReader(limits);

  return async function readBody(req, res) {
    const length = announcedLength(req);
    const isUnread = length > 0 && !wasRead(req);
    // There is nothing to read, no parser has set a body, and nothing was read.
    if (!isUnread && req.body === undefined && !req.readableDidRead) return NONE;
    const mediaType = mediaTypeOf(req.headers);
    if (!isUnread) {
      // Some parsers call `next` before they have read all fields.
      return !isBeingRead(req) || (await hasEnd(req)) ? viewBody(req, mediaType, length) : UNSEEN;
    }
    if (isJson(mediaType)) {
      // A login skips `hasBytes`, because no handler waits for the end of its stream and `hasBytes` has no time limit.
      const isEmpty = length === Infinity && limits.timeoutMs === undefined && !(await hasBytes(req));
      return { kind: 'value', value: isEmpty ? (req.body = {}) : await readStream(req, res) };
    }
    return mediaType.type !== '' || (await hasBytes(req)) ? UNSEEN : NONE;
  };
}

/** Returns the body that a parser or a serverless adapter left in `req.body`. */
function viewBody(req: IncomingRequest, mediaType: MediaType, length: number): Body {
  const { body } = req;
  switch (kindOf(body)) {
    case 'text':
      return viewText(body as string | Uint8Array, mediaType);
    case 'visible':
      return { kind: 'value', value: body };
    case 'empty':
      // The headers announce no body, or nothing was read and the request names no type.
      if (length === 0 || (mediaType.type === '' && !req.readableDidRead)) return NONE;
      return cannotHoldReference(req, mediaType, length) ? { kind: 'value', value: body } : UNSEEN;
    case 'absent':
    case 'opaque':
      return UNSEEN;
  }
}

/**
 * Returns true when an empty `req.body` proves that the body has no reference. Either body-parser 1 has parsed the
 * body, or the body is too short.
 */
function cannotHoldReference({ _body: wasParsed }: IncomingRequest, mediaType: MediaType, length: number): boolean {
  if (wasParsed === true) return isJson(mediaType) || mediaType.type === 'application/x-www-form-urlencoded';
  return length < ROOM_FOR_A_REFERENCE;
}

function viewText(body: string | Uint8Array, mediaType: MediaType): Body {
  const isText = typeof body === 'string';
  // Only UTF-8, because the same bytes can be another document in another charset.
  if (!isJson(mediaType) || !(isText || mediaType.charset === 'utf-8')) return UNSEEN;
  try {
    return { kind: 'value', value: JSON.parse(isText ? body : new TextDecoder().decode(body)) as unknown };
  } catch {
    throw invalidBody('entity.parse.failed');
  }
}
