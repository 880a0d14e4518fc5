import type { IncomingMessage } from 'node:http';

const HEADER = 'authorization';
/** RFC 9110 section 11.4: the scheme is the token (5.6.2) that the value begins with, in any case. */
const SCHEME = /^[!#$%&'*+.^_`|~\w-]+/;
/** RFC 6750 section 2.1, with RFC 9110's token68 (11.2), and nothing around it. */
const BEARER = /^bearer [\w.~+/-]+=*$/i;

/**
 * Reads the bearer token of a request from its `Authorization` header, the only place where one is looked for.
 * @returns the token; `undefined` when there is no such header or it has another scheme; `null` when it is not exactly
 *   one header of the form `Bearer <token>`
 */
export function bearerToken(req: IncomingMessage): string | null | undefined {
  const value = req.headers.authorization ?? '';
  const credentials = BEARER.exec(value)?.[0];
  if (credentials !== undefined) return hasSecondHeader(req.rawHeaders) ? null : credentials.slice('bearer '.length);
  return SCHEME.exec(value)?.[0].toLowerCase() === 'bearer' ? null : undefined;
}

/** Node keeps the first of two headers, another server in the chain perhaps the last. Serverless adapters have no list. */
function hasSecondHeader(rawHeaders: readonly string[] = []): boolean {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    // The length first: it is there, and most names have another.
    if (name.length === HEADER.length && name.toLowerCase() === HEADER) count += 1;
  }
  return count > 1;
}
