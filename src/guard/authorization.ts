import type { IncomingMessage } from 'node:http';
import { rawValuesOf } from '../base/raw-values.js';
import { AuthError } from '../errors/auth-error.js';

/** Matches the scheme: the token (RFC 9110 section 5.6.2) at the start of the value (section 11.4). */
const SCHEME = /^[!#$%&'*+.^_`|~\w-]+/;
/** Matches a bearer header (RFC 6750 section 2.1) whose token is a token68 (RFC 9110 section 11.2) of three parts. */
const BEARER = /^bearer +([\w~+/-]+\.[\w~+/-]+\.[\w~+/-]+=*)$/i;

/** The text of the catalogue would not help, because a caller that logs in again sends the same header. */
const MALFORMED = {
  description: 'Send exactly one header of the form Authorization: Bearer <token>.',
  detail: 'The token is not valid: it is not in exactly one header of the form Bearer <token>.',
};

/**
 * Reads the bearer token from the `Authorization` header, and never from the query or the body.
 * @throws AuthError `missing_token` without the header, or with another scheme
 * @throws AuthError `invalid_token` unless it is exactly one header of the form `Bearer <token>`
 */
export function bearerToken(req: IncomingMessage, realm: string): string {
  const value = req.headers.authorization ?? '';
  const token = BEARER.exec(value)?.[1];
  // Node.js keeps the first of two headers in `headers`, and a proxy may have checked the last.
  const isRepeated = rawValuesOf(req, 'authorization').length > 1;
  if (token !== undefined && !isRepeated) return token;
  if (SCHEME.exec(value)?.[0].toLowerCase() !== 'bearer') throw new AuthError('missing_token', { realm });
  throw new AuthError('invalid_token', { realm, ...MALFORMED });
}
