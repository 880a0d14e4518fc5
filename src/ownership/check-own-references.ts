import { AuthError } from '../errors/auth-error.js';
import type { ExpressRequest } from '../http/middleware.js';
import type { Body } from '../http/read-body.js';
import { checkReferencesIn, hasField, LIKELY_MISSPELLING, REFERENCE_FIELD } from './references.js';

const UNSEEN_BODY =
  'Send the body as JSON (Content-Type: application/json), or have the service parse it before the guard, or guard ' +
  "with reference: 'unchecked' and put requireOwnReference() behind the parser.";

/**
 * Checks every copy of `refercence_cl` in a request's path parameters and query against the caller's own.
 * @throws AuthError `invalid_reference` or `foreign_reference`
 */
export function checkTarget(req: ExpressRequest, own: string): void {
  checkReferencesIn(req.params, own);
  if (hasQuery(req)) checkReferencesIn(req.query, own);
}

/**
 * Checks every copy in the body, at any depth.
 * @throws AuthError `invalid_reference`, `foreign_reference`, `unreadable_body` or `invalid_body`
 */
export function checkBody(body: Body, own: string): void {
  if (body.kind === 'unseen') throw new AuthError('unreadable_body', { description: UNSEEN_BODY });
  if (body.kind === 'broken') throw body.error;
  if (body.kind === 'value') checkReferencesIn(body.value, own);
}

/** Express 5 parses the query each time that it is read; what the host put in its place is the request's own. */
function hasQuery(req: ExpressRequest): boolean {
  return Object.hasOwn(req, 'query') || req.url?.includes('?') !== false;
}

/**
 * Demands the reference where handlers look: in a path parameter, or else at the top of the body (of each element, when
 * it is an array), or in the query of a request without a body.
 * @throws AuthError `missing_reference`
 */
export function demandReference(req: ExpressRequest, body: Body): void {
  const place = body.kind === 'value' ? body.value : req.query;
  if (hasField(req.params, REFERENCE_FIELD) || hasField(place, REFERENCE_FIELD)) return;
  const isMisspelled = hasField(req.params, LIKELY_MISSPELLING) || hasField(place, LIKELY_MISSPELLING);
  throw missingReference(isMisspelled);
}

export function missingReference(isMisspelled: boolean): AuthError {
  return new AuthError('missing_reference', {
    ...(isMisspelled && { description: `${REFERENCE_FIELD} is required. You sent ${LIKELY_MISSPELLING}.` }),
  });
}
