import type { Request } from 'express';
import { pauseFlow } from '../body/pause-flow.js';
import type { Body } from '../body/read-body.js';
import type { IncomingRequest } from '../body/read-json.js';
import { AuthError } from '../errors/auth-error.js';
import { REFERENCE_FIELD } from '../errors/catalogue.js';
import { markHandler } from '../http/mark.js';
import type { Middleware } from '../http/middleware.js';
import { refuse } from '../http/answer.js';
import { checkDefined } from '../base/check-options.js';
import { callback, type OptionParsers, parseOptions } from '../base/parse-options.js';
import { checkOwnReferences } from './check-own-references.js';
import { enforce } from './enforce.js';
import { clearGuarded, type Guarded, guardedOf } from './merchant.js';
import { checkReference, hasField } from './references.js';

export interface RequireOwnReferenceOptions {
  /**
   * Reads the reference where the handler reads it, for example from a header or the body of a DELETE. May be async.
   * For `undefined`, the answer is 400 `missing_reference`. Default: a path parameter of the route, or else the query
   * of GET, HEAD and DELETE, and the top level of the body for other methods.
   */
  readonly from?: (req: Request) => unknown;
}

const OPTIONS = {
  from: callback<RequireOwnReferenceOptions['from']>(undefined),
} satisfies OptionParsers<RequireOwnReferenceOptions>;

/** A common mistake for `refercence_cl`. */
const LIKELY_MISSPELLING = 'reference_cl';

const MISSPELLED = `${new AuthError('missing_reference').description} You sent ${LIKELY_MISSPELLING}.`;

/** The content of these methods has no meaning (RFC 9110 section 9.3). */
const WITHOUT_CONTENT: readonly unknown[] = ['GET', 'HEAD', 'DELETE'];

/**
 * Makes the middleware that refuses a request without the caller's own reference (docs/interface.md 5.6). Mount it
 * after `requireBearer`, on the route that declares the path parameters: middleware elsewhere cannot see them. The
 * guard's `referenceNames`, `bodyLimit`, `reference` and `respond` apply. The refusals are `missing_reference`,
 * `invalid_reference`, `foreign_reference`, `unreadable_body`, `lost_body` and `invalid_body`.
 *
 * It searches the whole request again, because middleware after the guard can change the body or the query in place.
 * @throws TypeError for an unknown option. Express passes a TypeError to `next` for a request that did not pass
 *   `requireBearer`
 */
export function requireOwnReference(options: RequireOwnReferenceOptions = {}): Middleware {
  const { from } = parseOptions('requireOwnReference', options, OPTIONS);
  checkDefined('requireOwnReference', options, 'from');

  return markHandler<Middleware>(
    function requireOwnReferenceMiddleware(req, res, next) {
      const guarded = guardedOf(req, 'requireOwnReference');
      const resume = pauseFlow(req);
      const check = async () => {
        const body = await checkOwnReferences(req, res, guarded);
        await enforce(req, guarded, async () => {
          if (from === undefined) {
            demandReference(req, body, guarded);
            return;
          }
          const value = await from(req as Request);
          const { list } = guarded.settings.referenceNames;
          if (value === undefined) throw new AuthError('missing_reference', { referenceNames: list });
          checkReference(value, guarded, list);
        });
      };
      check().then(
        () => {
          resume();
          next();
        },
        (error: unknown) => {
          resume();
          clearGuarded(req);
          refuse(error, guarded.settings.respond, req, res, next);
        },
      );
    },
    { kind: 'ownReference' },
  );
}

/**
 * The place must not depend on what the caller sent: a handler that filters by another place would find the rows of all
 * merchants.
 * @throws AuthError `missing_reference`
 */
function demandReference(req: IncomingRequest, body: Body, { settings }: Guarded): void {
  const names = settings.referenceNames.list;
  const content = body.kind === 'value' ? body.value : undefined;
  const fallback = WITHOUT_CONTENT.includes(req.method) ? req.query : content;
  // An optional parameter, or one on some of the paths, is still what the handler reads.
  const paths = [req.route?.path].flat() as readonly unknown[];
  const place = paths.some((path) => settings.referenceNames.isParameterOf(path)) ? undefined : fallback;
  const isIn = (fields: readonly string[]) => hasField(req.params, fields) || hasField(place, fields);
  if (isIn(names)) return;
  const isMisspelled = names.includes(REFERENCE_FIELD) && isIn([LIKELY_MISSPELLING]);
  throw new AuthError('missing_reference', {
    referenceNames: names,
    ...(isMisspelled && { description: MISSPELLED }),
  });
}
