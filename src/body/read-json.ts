import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { text as textParser } from 'express';
import type { AuthError } from '../errors/auth-error.js';
import { startTimeout } from '../base/host-calls.js';
import { closeAfterAnswer } from './close-after-answer.js';
import { mediaTypeOf } from './media-type.js';
import { bodyTooLarge, invalidBody } from './parser-failures.js';

/** Each member that Express or a parser adds can be missing. */
export interface IncomingRequest extends IncomingMessage {
  body?: unknown;
  query?: unknown;
  params?: unknown;
  /** From cookie-parser. */
  readonly cookies?: Readonly<Record<string, unknown>>;
  readonly signedCookies?: Readonly<Record<string, unknown>>;
  readonly route?: { readonly path?: unknown };
  /** Express removes the mount path of a router from `url`, not from this. */
  readonly originalUrl?: string;
  readonly app?: object;
  /** True when body-parser 1 has read the body. */
  _body?: boolean;
}

export interface BodyLimits {
  readonly bytes: number;
  /** Default: no limit. */
  readonly timeoutMs?: number;
}

/** The text can have members that the value lost: `JSON.parse` keeps the last of a name. */
interface Json {
  readonly value: unknown;
  readonly text: string;
}

type Parser = (req: IncomingRequest, res: ServerResponse, next: (err?: unknown) => void) => void;

/**
 * Reads JSON into `req.body` over `express.text()`, from an unread stream or from the `text` that a serverless adapter
 * left. It throws the AuthError of `invalidBody`, or an error of the host as the parser reports it. Unlike
 * `express.json()`, the reader
 * - reads a body that no header announces, or that another middleware marked as read
 * - knows all labels of UTF-8, and refuses all other charsets except UTF-16
 * - refuses bytes that are not UTF-8, where the parser would put U+FFFD
 * - refuses a body over the limit at once, where the parser would read to its end
 * - fails when the socket is no longer readable, where the parser would skip the body
 * - sets `req._body`, so that a later body-parser 1 does not read again
 */
export function createJsonReader({ bytes, timeoutMs }: BodyLimits) {
  const parse = parseAnyway(textParser({ limit: bytes, type: () => true, verify: requireUtf8 }));

  return function readJson(req: IncomingRequest, res: ServerResponse, text?: string | Uint8Array): Promise<Json> {
    return new Promise((resolve, reject) => {
      const stream = text === undefined ? req : streamOf(text, req);
      const announced = Number(stream.headers['content-length']);
      let received = 0;
      const end = () => {
        stopTimeout?.();
        req.off('data', onData);
      };
      const refuse = (error: AuthError) => {
        end();
        closeAfterAnswer(req, res);
        reject(error);
      };
      const refuseSize = () => refuse(bodyTooLarge(bytes));
      const onData = (chunk: Uint8Array) => {
        received += chunk.length;
        if (received > bytes) refuseSize();
      };
      const refuseTime = () => refuse(invalidBody('request.timeout'));
      const stopTimeout = timeoutMs === undefined ? undefined : startTimeout(timeoutMs, refuseTime);
      if (announced > bytes) {
        refuseSize();
        return;
      }
      parse(stream, res, (cause?: unknown) => {
        end();
        if (cause !== undefined || !wasRead(stream)) {
          reject(readFailure(req, cause));
          return;
        }
        const json = parseJson(stream.body as string);
        if (json === undefined) {
          reject(invalidBody('entity.parse.failed'));
          return;
        }
        req._body = true;
        req.body = json.value;
        resolve(json);
      });
      // Node.js keeps a body to its announced length, so only a body without one is counted.
      if (Number.isNaN(announced)) req.on('data', onData);
      // An adapter's stream has the text again, and must end like one that was read.
      if (text !== undefined || req.isPaused()) req.resume();
    });
  };
}

function requireUtf8(_req: unknown, _res: unknown, bytes: Uint8Array, charset: string): void {
  if (charset === 'utf-8' && !isUtf8(bytes)) throw Object.assign(new Error('not UTF-8'), { type: 'entity.not.utf8' });
}

/** As `express.json()`: only objects and arrays, and nothing as `{}`. */
function parseJson(text: string): Json | undefined {
  try {
    const value = (text === '' ? {} : JSON.parse(text)) as unknown;
    return typeof value === 'object' && value !== null ? { value, text } : undefined;
  } catch {
    // The error quotes the text, and a login has a password.
    return undefined;
  }
}

function streamOf(text: string | Uint8Array, { headers }: IncomingRequest): IncomingRequest {
  const bytes = Buffer.from(text);
  const announced = { ...headers, 'content-length': `${bytes.length}` };
  return Object.assign(Readable.from([bytes]), { headers: announced }) as unknown as IncomingRequest;
}

/** Changes the headers and the mark `_body` for the time of the call, so that the parser skips no body. */
function parseAnyway(parse: Parser): Parser {
  return function parseWithHeaders(req, res, next) {
    const { headers } = req;
    const { 'content-type': type, 'content-length': length, 'transfer-encoding': coding } = headers;
    const isUnannounced = coding === undefined && length === undefined;
    // Most types name no charset, and reading the type twice shows in the benchmark.
    const charset = type?.includes('=') === true ? mediaTypeOf(headers).charset : undefined;
    if (charset !== undefined && !/^utf-(?:8|16(?:le|be)?)$/.test(charset)) {
      next({ type: 'charset.unsupported' });
      return;
    }
    const isUtf8 = charset === 'utf-8';
    if (isUnannounced) headers['transfer-encoding'] = 'chunked';
    if (isUtf8) headers['content-type'] = 'application/json';
    if (req._body === true) req._body = false;
    parse(req, res, next);
    if (isUnannounced) delete headers['transfer-encoding'];
    if (isUtf8) headers['content-type'] = type;
  };
}

/** Includes an empty stream that has ended, and an adapter without a stream. */
export function wasRead(req: IncomingMessage): boolean {
  return (req.readableDidRead as boolean | undefined) !== false || req.readableEnded;
}

/**
 * Leaves an error of the host, for example when another middleware consumed the stream. Body-parser 1 reports the same
 * error when the caller has disconnected.
 */
function readFailure({ destroyed }: IncomingMessage, cause: unknown): Error {
  const { type, status = 0 } = (cause ?? {}) as { readonly type?: string; readonly status?: number };
  return status >= 500 && !destroyed ? (cause as Error) : invalidBody(type, cause);
}
