import type { IncomingMessage } from 'node:http';
import { AuthError } from '../errors/auth-error.js';
import { invalidToken } from '../tokens/rules.js';

const HEADER = /^authorization$/i;
/** RFC 9110 section 11.4: the scheme is the token (5.6.2) at the start of the value, in any case. */
const SCHEME = /^[!#$%&'*+.^_`|~\w-]+/;
/** RFC 6750 section 2.1, with the token68 of RFC 9110 (11.2), without anything around it. */
const BEARER = /^bearer [\w.~+/-]+=*$/i;

/**
 * Reads the bearer token from the `Authorization` header. Query and body are never read.
 * @throws AuthError `missing_token` without the header, or with another scheme
 * @throws AuthError `invalid_token` unless it is exactly one header of the form `Bearer <token>`
 */
export function bearerToken(req: IncomingMessage, realm: string): string {
  const value = req.headers.authorization ?? '';
  if (BEARER.test(value) && !hasSecondHeader(req.rawHeaders)) return value.slice('bearer '.length);
  if (SCHEME.exec(value)?.[0].toLowerCase() !== 'bearer') throw new AuthError('missing_token', { realm });
  throw invalidToken(realm, 'it is not in exactly one header of the form Bearer <token>');
}

/** Node keeps the first of two headers; another server in the chain may keep the last. Serverless adapters have no list. */
function hasSecondHeader(rawHeaders: readonly string[] = []): boolean {
  return rawHeaders.filter((text, index) => index % 2 === 0 && HEADER.test(text)).length > 1;
}
