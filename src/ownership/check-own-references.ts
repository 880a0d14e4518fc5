import type { ServerResponse } from 'node:http';
import type { Body } from '../body/read-body.js';
import type { IncomingRequest } from '../body/read-json.js';
import { AuthError } from '../errors/auth-error.js';
import { enforce } from './enforce.js';
import type { Guarded } from './merchant.js';
import {
  checkReference,
  checkReferencesIn,
  checkReferencesInJson,
  checkReferencesInText,
  checkReferencesInUrl,
} from './references.js';

const FOR_THE_HOST =
  'The guard cannot see this body. Parse it before the guard, or guard with reference: "unchecked" and mount ' +
  'requireOwnReference() after the parser.';

export const HIDDEN_QUERY = {
  message: 'Query cannot be read',
  description: 'The query cannot be read. Leave the query out, or tell the operator of this service.',
  detail: 'req.query hides its members, as a Map does. Let the query parser make plain objects.',
} as const;

/**
 * Checks every reference in the request (docs/interface.md 5.6), and returns the body.
 * @throws AuthError of these checks, and for a body that cannot be read or seen
 */
export async function checkOwnReferences(req: IncomingRequest, res: ServerResponse, guarded: Guarded): Promise<Body> {
  await enforce(req, guarded, () => {
    checkReferencesIn(req.params, guarded);
    checkQuery(req, guarded);
    checkHeaders(req, guarded);
  });
  let body: Body = { kind: 'unseen' };
  await enforce(req, guarded, async () => {
    body = await guarded.settings.readBody(req, res);
    checkBody(body, guarded);
  });
  return body;
}

/** A handler can read the parsed query and both URLs, and a middleware can change each. */
function checkQuery(req: IncomingRequest, guarded: Guarded): void {
  const { url = '', originalUrl = url } = req;
  const hasQuery = originalUrl.includes('?') || url.includes('?');
  // Express 5 parses the query at each read. A query that the host assigned is an own property.
  if (hasQuery || Object.hasOwn(req, 'query')) {
    checkReferencesIn(req.query, guarded, { hidden: HIDDEN_QUERY, onText: checkReferencesInJson });
  }
  if (!hasQuery) return;
  checkReferencesInUrl(originalUrl, guarded);
  // A router changes the path in `url`, and never the query.
  if (queryOf(url) !== queryOf(originalUrl)) checkReferencesInUrl(url, guarded);
}

/** express-validator prefers headers and cookies to the body. */
function checkHeaders({ headers, cookies, signedCookies }: IncomingRequest, guarded: Guarded): void {
  for (const name of guarded.settings.referenceNames.list) {
    for (const reference of [headers[name.toLowerCase()], cookies?.[name], signedCookies?.[name]]) {
      if (reference !== undefined) checkReference(reference, guarded, [name]);
    }
  }
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
