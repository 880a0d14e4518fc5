import type { IncomingHttpHeaders } from 'node:http';

interface AnyRequest {
  readonly headers: IncomingHttpHeaders;
  /** Missing in serverless adapters. */
  readonly rawHeaders?: readonly string[];
  /** Present in Node's compatibility API for HTTP/2. */
  readonly stream?: { readonly endAfterHeaders?: boolean };
}

const LENGTH = /^content-length$/i;
const ENCODING = /^transfer-encoding$/i;

/**
 * Returns the length of the body that a request announces, in bytes. HTTP/1.1 announces it by headers (RFC 9112 section
 * 6). On HTTP/2, a body follows unless the headers ended the stream (RFC 9113 section 8.1). Returns 0 for a request
 * without a body, and Infinity for an unknown length.
 */
export function announcedLength({ headers, rawHeaders = [], stream }: AnyRequest): number {
  if (headers['transfer-encoding'] !== undefined || stream?.endAfterHeaders === false) return Infinity;
  // `rawHeaders` still has a header that a middleware deleted from `headers`.
  return rawHeaders.reduce(
    (longest, name, index) => {
      if (index % 2 === 1) return longest;
      if (ENCODING.test(name)) return Infinity;
      return LENGTH.test(name) ? Math.max(longest, Number(rawHeaders[index + 1])) : longest;
    },
    Number(headers['content-length'] ?? 0),
  );
}
