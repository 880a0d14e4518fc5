import type { ServerResponse } from 'node:http';
import type { Body } from '../body/read-body.js';
import type { IncomingRequest } from '../body/read-json.js';
import { AuthError } from '../errors/auth-error.js';
import { REFERENCE_FIELD } from '../options/reference-name.js';
import { enforce } from './enforce.js';
import type { Guarded } from './merchant.js';
import { checkReferencesInText } from './references-in-text.js';
import { checkReferencesIn, checkReferencesInUrl, hasField } from './references.js';

/** The name that callers often use by mistake for `refercence_cl`. */
const LIKELY_MISSPELLING = 'reference_cl';

const FOR_THE_HOST =
  'The guard cannot see this body. Parse it before the guard, or guard with reference: "unchecked" and mount ' +
  'requireOwnReference() after the parser.';

const HIDDEN_QUERY = {
  message: 'Query cannot be read',
  description: 'The query cannot be read. Leave the query out, or tell the operator of this service.',
  detail: 'req.query hides its members, as a Map does. Let the query parser make plain objects.',
} as const;

/**
 * Checks every reference in path parameters, query and body (docs/interface.md 5.6), and returns the body.
 * @throws AuthError for a reference that is not valid or foreign, and for a body that cannot be read or seen
 */
export async function checkOwnReferences(req: IncomingRequest, res: ServerResponse, guarded: Guarded): Promise<Body> {
  await enforce(req, guarded, () => {
    checkReferencesIn(req.params, guarded);
    checkQuery(req, guarded);
  });
  let body: Body = { kind: 'unseen' };
  await enforce(req, guarded, async () => {
    body = await guarded.settings.readBody(req, res);
    checkBody(body, guarded);
  });
  return body;
}

/** Checks the parsed query and both URLs, because a handler can read each of them, and a middleware can change them. */
function checkQuery(req: IncomingRequest, guarded: Guarded): void {
  const { url = '', originalUrl = url } = req;
  const hasQuery = originalUrl.includes('?') || url.includes('?');
  // Express 5 parses the query at each read, so it is read only when needed. A query that the host assigned is an own
  // property.
  if (hasQuery || Object.hasOwn(req, 'query')) checkReferencesIn(req.query, guarded, HIDDEN_QUERY);
  if (!hasQuery) return;
  checkReferencesInUrl(originalUrl, guarded);
  // A router removes its path from `url`, and never changes the query.
  if (queryOf(url) !== queryOf(originalUrl)) checkReferencesInUrl(url, guarded);
}

function queryOf(url: string): string {
  return url.includes('?') ? url.slice(url.indexOf('?')) : '';
}

function checkBody(body: Body, guarded: Guarded): void {
  if (body.kind === 'unseen') throw new AuthError('unreadable_body', { detail: FOR_THE_HOST });
  if (body.kind === 'none') return;
  if (body.text === undefined) checkReferencesIn(body.value, guarded);
  else checkReferencesInText(body.text, body.value, guarded);
}

const MISSPELLED = `Send ${REFERENCE_FIELD}: the marchand.referencl of your login. You sent ${LIKELY_MISSPELLING}.`;

/** The methods whose content has no meaning (RFC 9110 section 9.3), so that their handlers read the query. */
const WITHOUT_CONTENT: readonly unknown[] = ['GET', 'HEAD', 'DELETE'];

/**
 * Refuses a request without one of the names in the place where handlers look. The place must not depend on what the caller
 * sent, because a handler that filters by the other place would find the rows of all merchants.
 * @throws AuthError `missing_reference`
 */
export function demandReference(req: IncomingRequest, body: Body, { settings }: Guarded): void {
  const names = settings.referenceNames.list;
  const content = body.kind === 'value' ? body.value : undefined;
  const fallback = WITHOUT_CONTENT.includes(req.method) ? req.query : content;
  // A parameter of the route can be optional, and its handler reads it all the same.
  const paths = [req.route?.path].flat() as readonly unknown[];
  const place = paths.every((path) => settings.referenceNames.isParameterOf(path)) ? undefined : fallback;
  const isIn = (fields: readonly string[]) => hasField(req.params, fields) || hasField(place, fields);
  if (isIn(names)) return;
  const isMisspelled = names.includes(REFERENCE_FIELD) && isIn([LIKELY_MISSPELLING]);
  throw new AuthError('missing_reference', {
    referenceNames: names,
    ...(isMisspelled && { description: MISSPELLED }),
  });
}
