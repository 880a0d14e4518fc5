import type { IncomingHttpHeaders } from 'node:http';

interface AnyRequest {
  readonly headers: IncomingHttpHeaders;
  /** Serverless adapters have no such list. */
  readonly rawHeaders?: readonly string[];
  /** Node's compatibility API for HTTP/2 has it. */
  readonly stream?: { readonly endAfterHeaders?: boolean };
}

const LENGTH = /^content-length$/i;
const ENCODING = /^transfer-encoding$/i;

/**
 * Returns the length of the body in bytes that a request announces: by the headers of HTTP/1.1 (RFC 9112 section 6), or by a
 * stream of HTTP/2 that did not end with its headers (RFC 9113 section 8.1). Returns 0 for a request without a body, and
 * Infinity for a length that is not announced.
 */
export function announcedLength({ headers, rawHeaders = [], stream }: AnyRequest): number {
  if (headers['transfer-encoding'] !== undefined || stream?.endAfterHeaders === false) return Infinity;
  // A middleware can delete a header, but not from the list as they arrived.
  return rawHeaders.reduce(
    (longest, name, index) => {
      if (index % 2 === 1) return longest;
      if (ENCODING.test(name)) return Infinity;
      return LENGTH.test(name) ? Math.max(longest, Number(rawHeaders[index + 1])) : longest;
    },
    Number(headers['content-length'] ?? 0),
  );
}
