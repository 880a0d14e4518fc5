import type { IncomingMessage } from 'node:http';
import { AuthError } from '../errors/auth-error.js';
import { invalidToken } from '../tokens/rules.js';

const HEADER = /^authorization$/i;
/** Matches the scheme: the token (RFC 9110 section 5.6.2) at the start of the value (section 11.4). */
const SCHEME = /^[!#$%&'*+.^_`|~\w-]+/;
/** Matches a whole bearer header (RFC 6750 section 2.1), whose token is a token68 (RFC 9110 section 11.2). */
const BEARER = /^bearer [\w.~+/-]+=*$/i;

/**
 * Reads the bearer token from the `Authorization` header, and never from the query or the body.
 * @throws AuthError `missing_token` without the header, or with another scheme
 * @throws AuthError `invalid_token` unless it is exactly one header of the form `Bearer <token>`
 */
export function bearerToken(req: IncomingMessage, realm: string): string {
  const value = req.headers.authorization ?? '';
  if (BEARER.test(value) && !hasSecondHeader(req.rawHeaders)) return value.slice('bearer '.length);
  if (SCHEME.exec(value)?.[0].toLowerCase() !== 'bearer') throw new AuthError('missing_token', { realm });
  throw invalidToken(realm, 'it is not in exactly one header of the form Bearer <token>');
}

/**
 * Returns true for two `Authorization` headers, because Node.js keeps the first and a proxy may have checked the last.
 * Serverless adapters have no `rawHeaders`.
 */
function hasSecondHeader(rawHeaders: readonly string[] = []): boolean {
  return rawHeaders.filter((text, index) => index % 2 === 0 && HEADER.test(text)).length > 1;
}
