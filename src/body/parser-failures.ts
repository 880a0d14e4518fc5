import { AuthError } from '../errors/auth-error.js';

export const NOT_JSON = 'The body is not a valid JSON object or array.';
export const NOT_READ = 'The body could not be read.';
const SEND_UNCOMPRESSED = 'Send the body uncompressed without this header, or as gzip.';

/** By the `type` of body-parser's errors, and by three of our own. */
const FAILURES: ReadonlyMap<unknown, string> = new Map([
  ['entity.parse.failed', NOT_JSON],
  ['entity.not.utf8', 'The body is not valid UTF-8. Encode its text as UTF-8.'],
  ['entity.too.large', 'The body is too large. Send less.'],
  ['request.timeout', 'The body did not arrive in time.'],
  ['charset.unsupported', 'The charset of the body is not supported. Send UTF-8.'],
  ['encoding.unsupported', `The header Content-Encoding is not supported. ${SEND_UNCOMPRESSED}`],
  ['encoding.corrupt', `The body does not match the header Content-Encoding. ${SEND_UNCOMPRESSED}`],
  ['parameters.too.many', NOT_READ],
  ['querystring.parse.rangeError', NOT_READ],
  ['request.aborted', NOT_READ],
  ['request.size.invalid', NOT_READ],
]);

const QUOTING: readonly unknown[] = ['entity.parse.failed', 'parameters.too.many', 'querystring.parse.rangeError'];

/** Codes of errors of gzip and deflate, zstd, and brotli, which come without a `type`. */
const DECODER_CODE = /^(?:Z_|ZSTD_|ERR__ERROR_)/;

const UNITS = [
  ['MiB', 1_048_576],
  ['KiB', 1_024],
] as const;

export function tooLarge(limitBytes: number): string {
  const [unit, size] = UNITS.find(([, bytes]) => limitBytes >= bytes && limitBytes % bytes === 0) ?? ['bytes', 1];
  return `The body is larger than ${limitBytes / size} ${unit}. Send less.`;
}

/** Returns `undefined` for a failure that the caller did not cause. */
function sentenceOf(type: unknown, cause: unknown): string | undefined {
  const { limit, code } = (cause ?? {}) as { readonly limit?: unknown; readonly code?: unknown };
  if (type === 'entity.too.large' && typeof limit === 'number') return tooLarge(limit);
  const isCorrupt = DECODER_CODE.test(String(code));
  return FAILURES.get(type ?? (isCorrupt ? 'encoding.corrupt' : undefined));
}

export function invalidBody(type: string | undefined, cause?: unknown): AuthError {
  return new AuthError('invalid_body', {
    description: sentenceOf(type, cause) ?? NOT_READ,
    cause: unlessQuoting(cause),
  });
}

export function bodyTooLarge(limitBytes: number): AuthError {
  return new AuthError('invalid_body', { description: tooLarge(limitBytes) });
}

/** A parser's error quotes the text, and a login has a password. */
function unlessQuoting(err: unknown): unknown {
  const { type } = Object(err) as { readonly type?: unknown };
  return QUOTING.includes(type) || 'body' in Object(err) ? undefined : err;
}

/** Keeps the 413 or 415 that the host's parser set. Returns `undefined` for an error that the caller did not cause. */
export function refusalOfParser(err: unknown): AuthError | undefined {
  const { type, status } = (err ?? {}) as { readonly type?: unknown; readonly status?: unknown };
  const description = sentenceOf(type, err);
  if (description === undefined) return undefined;
  if (status === 415) return new AuthError('unreadable_body', { description, cause: unlessQuoting(err) });
  if (status !== 400 && status !== 413) return undefined;
  return new AuthError('invalid_body', { description, cause: unlessQuoting(err), status });
}
