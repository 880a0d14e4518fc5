import type { ServerResponse } from 'node:http';
import { AuthError } from '../errors/auth-error.js';
import type { IncomingRequest } from '../http/middleware.js';
import type { Body } from '../http/read-body.js';
import { enforce } from './enforce.js';
import type { Guarded } from './merchant.js';
import {
  checkReferencesIn,
  checkReferencesInUrl,
  hasField,
  LIKELY_MISSPELLING,
  REFERENCE_FIELD,
} from './references.js';

const FOR_THE_HOST =
  'The guard cannot see this body. Parse it before the guard, or guard with reference: "unchecked" and mount ' +
  'requireOwnReference() after the parser.';

/**
 * Checks every `refercence_cl` in path parameters, query and body against the caller's own (docs/interface.md 5.6).
 * @returns the body that was checked
 * @throws AuthError `invalid_reference`, `foreign_reference`, `unreadable_body` or `invalid_body`
 */
export async function checkOwnReferences(req: IncomingRequest, res: ServerResponse, guarded: Guarded): Promise<Body> {
  const { merchant, guard } = guarded;
  const own = merchant.referencl;
  enforce(req, guarded, () => {
    checkReferencesIn(req.params, own);
    checkQuery(req, own);
  });
  const body = await guard.readBody(req, res);
  enforce(req, guarded, () => checkBody(body, own));
  return body;
}

/** Checks the query as the handlers see it: parsed, and in the URL. A middleware can rewrite `req.url`. */
function checkQuery(req: IncomingRequest, own: string): void {
  const { url = '', originalUrl = url } = req;
  const hasQuery = originalUrl.includes('?') || url.includes('?');
  // Express 5 parses the query each time that it is read. A query that the host assigned is an own property.
  if (hasQuery || Object.hasOwn(req, 'query')) checkReferencesIn(req.query, own);
  if (!hasQuery) return;
  checkReferencesInUrl(originalUrl, own);
  if (!originalUrl.endsWith(url)) checkReferencesInUrl(url, own);
}

function checkBody(body: Body, own: string): void {
  switch (body.kind) {
    case 'none':
      return;
    case 'value':
      checkReferencesIn(body.value, own);
      return;
    case 'unseen':
      throw new AuthError('unreadable_body', { detail: FOR_THE_HOST });
  }
}

/**
 * Demands the reference where handlers look: in a path parameter, or at the top level of the body (of each element, when it
 * is an array), or in the query of a request without a body.
 * @throws AuthError `missing_reference`
 */
export function demandReference(req: IncomingRequest, body: Body): void {
  const place = body.kind === 'value' ? body.value : req.query;
  const isIn = (field: string) => hasField(req.params, field) || hasField(place, field);
  if (!isIn(REFERENCE_FIELD)) throw missingReference(isIn(LIKELY_MISSPELLING));
}

/** Makes the refusal of a request without the reference, and names the misspelling that was sent. */
export function missingReference(isMisspelled: boolean): AuthError {
  const description = `Send ${REFERENCE_FIELD}: the marchand.referencl of your login. You sent ${LIKELY_MISSPELLING}.`;
  return new AuthError('missing_reference', isMisspelled ? { description } : {});
}
