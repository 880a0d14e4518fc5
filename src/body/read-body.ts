import { isUtf8 } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import { TextDecoder, types } from 'node:util';
import { AuthError } from '../errors/auth-error.js';
import { createWarn } from '../events/warning.js';
import { hasBytes, hasBytesNow } from './has-bytes.js';
import { isPlain } from './is-plain.js';
import { mediaTypeOf } from './media-type.js';
import { invalidBody } from './parser-failures.js';
import { rawValuesOf } from '../base/raw-values.js';
import { type BodyLimits, createJsonReader, type IncomingRequest } from './read-json.js';

export type Body =
  | { readonly kind: 'none' }
  /** `text` is the JSON of the value, unless a parser of the host has read it. */
  | { readonly kind: 'value'; readonly value: unknown; readonly text?: string }
  /** There is a body, but its members cannot be seen. */
  | { readonly kind: 'unseen' };

/** @throws AuthError for a body that is not valid, and for one that was lost */
export type BodyReader = (req: IncomingRequest, res: ServerResponse) => Promise<Body>;

const NONE: Body = { kind: 'none' };
const UNSEEN: Body = { kind: 'unseen' };

const LOST =
  'A body was announced, and neither the stream nor req.body has it. Something before this package took it, for ' +
  'example a serverless adapter. Put it into req.body.';

const warn = createWarn();

/**
 * Reads JSON into `req.body` if nothing has read the stream yet. `req.body` does not tell that: Express 4 puts `{}`
 * there.
 * @param leastBytes the length of the shortest body whose members matter. The `{}` of a shorter one hides nothing
 */
export function createBodyReader(limits: BodyLimits, leastBytes: number): BodyReader {
  const readJson = createJsonReader(limits);

  return async function readBody(req, res) {
    // Some handlers demand the member, as parsers set it.
    if (!('body' in req)) req.body = undefined;
    // A parser that calls `next` before the end can still add members.
    if (req.readableDidRead) return req.readableEnded ? view(req, leastBytes) : UNSEEN;

    // A serverless adapter has left the body in `req.body`, or has a lazy stream.
    const { body, complete = true, readableLength = 0 } = req as Partial<IncomingRequest>;
    const isComplete = complete && readableLength === 0;
    if (isComplete && isText(body) && body.length > 0) {
      return mediaTypeOf(req.headers).isJson ? { kind: 'value', ...(await readJson(req, res, body)) } : UNSEEN;
    }
    if (isComplete && !isEmpty(body)) {
      // A parser behind the guard must read nothing from an adapter's stream that was not checked.
      if (hasBytesNow(req) === undefined) req.resume();
      return view(req, leastBytes);
    }

    let has = hasBytesNow(req);
    if (has === undefined && announcedLength(req) > 0) {
      // A reader with a time limit waits itself. `hasBytes` would wait without a limit.
      const readerWaits = limits.timeoutMs !== undefined && !isComplete;
      has = readerWaits || (await hasBytes(req));
    }
    if (has !== true) return viewNothing(req, leastBytes);
    return mediaTypeOf(req.headers).isJson ? { kind: 'value', ...(await readJson(req, res)) } : UNSEEN;
  };
}

function view(req: IncomingRequest, leastBytes: number): Body {
  const { body } = req;
  if (isEmpty(body))
    return body !== undefined && isProvenEmpty(req, leastBytes) ? { kind: 'value', value: body } : UNSEEN;
  if (isText(body)) return viewText(body, req);
  return typeof body === 'object' && body !== null && isPlain(body) ? { kind: 'value', value: body } : UNSEEN;
}

/** For the check only: `req.body` stays as a raw parser left it. */
function viewText(body: string | Uint8Array, { headers }: IncomingRequest): Body {
  const { isJson, charset } = mediaTypeOf(headers);
  // In another charset, the same bytes can be another document.
  if (!isJson || !(charset === 'utf-8' || typeof body === 'string')) return UNSEEN;
  if (typeof body !== 'string' && !isUtf8(body)) throw invalidBody('entity.not.utf8');
  try {
    const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
    return { kind: 'value', value: JSON.parse(text) as unknown, text };
  } catch {
    throw invalidBody('entity.parse.failed');
  }
}

function viewNothing(req: IncomingRequest, leastBytes: number): Body {
  if (!isEmpty(req.body)) return view(req, leastBytes);
  const length = announcedLength(req);
  if (length > 0 && length < Infinity) {
    const seen = view(req, leastBytes);
    if (seen.kind === 'value') return seen;
    warn('EMA_LOST_BODY', LOST);
    throw new AuthError('lost_body', { detail: LOST });
  }
  // The parsers of Express 4 leave `{}`, and handlers rely on it. Only its apps have this method.
  const isExpress4 = req.app !== undefined && 'lazyrouter' in req.app;
  req.body ??= mediaTypeOf(req.headers).isJson || isExpress4 ? {} : undefined;
  return NONE;
}

function isText(value: unknown): value is string | Uint8Array {
  return typeof value === 'string' || types.isUint8Array(value);
}

/** Includes the `{}` that a parser leaves when it skips a body. */
function isEmpty(value: unknown): boolean {
  if (isText(value)) return value.length === 0;
  if (typeof value !== 'object' || value === null) return typeof value !== 'function';
  // multer leaves an object without a prototype when it has read all fields of the form.
  if (Array.isArray(value) || Object.getPrototypeOf(value) === null) return false;
  return Object.keys(value).length === 0 && isPlain(value);
}

/** True after body-parser 1, or when the body is too short for a reference. */
function isProvenEmpty(req: IncomingRequest, leastBytes: number): boolean {
  const { name, isJson } = mediaTypeOf(req.headers);
  const isParsed = req._body === true && (isJson || name === 'application/x-www-form-urlencoded');
  return isParsed || announcedLength(req) < leastBytes;
}

/** In bytes, the largest of several headers. Infinity when there is none. */
function announcedLength(req: IncomingRequest): number {
  const lengths = [req.headers['content-length'] ?? [], rawValuesOf(req, 'content-length')].flat();
  return lengths.length === 0 ? Infinity : Math.max(...lengths.map(Number));
}
