import type { IncomingMessage } from 'node:http';
import { rawValuesOf } from '../base/raw-values.js';
import { AuthError } from '../errors/auth-error.js';

/** The scheme is a token (RFC 9110 sections 5.6.2 and 11.4). */
const SCHEME = /^[!#$%&'*+.^_`|~\w-]+/;
/** A bearer header (RFC 6750 section 2.1) whose token is a token68 (RFC 9110 section 11.2) of three parts. */
const BEARER = /^bearer +([\w~+/-]+\.[\w~+/-]+\.[\w~+/-]+=*)$/i;

/** A caller that logs in again, as the catalogue says, would send the same header. */
const MALFORMED = {
  description: 'Send exactly one header of the form Authorization: Bearer <token>.',
  detail: 'The token is not valid: it is not in exactly one header of the form Bearer <token>.',
};

/**
 * @throws AuthError `missing_token` without the header, or with another scheme
 * @throws AuthError `invalid_token` unless it is exactly one header of the form `Bearer <token>`
 */
export function bearerToken(req: IncomingMessage, realm: string): string {
  const value = req.headers.authorization ?? '';
  const token = BEARER.exec(value)?.[1];
  // `headers` has the first of two, and a proxy may have checked the last.
  const isRepeated = rawValuesOf(req, 'authorization').length > 1;
  if (token !== undefined && !isRepeated) return token;
  if (SCHEME.exec(value)?.[0].toLowerCase() !== 'bearer') throw new AuthError('missing_token', { realm });
  throw new AuthError('invalid_token', { realm, ...MALFORMED });
}
