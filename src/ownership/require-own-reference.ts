import type { Request } from 'express';
import { callAsync } from '../errors/call-async.js';
import { reportRefusal } from '../events/report-refusal.js';
import { markHandler } from '../http/handler-mark.js';
import type { Middleware } from '../http/middleware.js';
import { refuse } from '../http/refuse.js';
import { sourceOf } from '../http/source.js';
import { callback, type OptionParsers, parseOptions } from '../options/parse-options.js';
import { checkOwnReferences, demandReference, missingReference } from './check-own-references.js';
import { enforce } from './enforce.js';
import { guardedOf } from './merchant.js';
import { checkReference } from './references.js';

export interface RequireOwnReferenceOptions {
  /**
   * Takes the reference from another place of the request (a header, a body field with another name). It may be async. The
   * reference is then demanded there. Default: a path parameter, the body's top level, or the query without a body.
   */
  readonly from?: (req: Request) => unknown;
}

const OPTIONS = {
  from: callback<RequireOwnReferenceOptions['from']>(undefined),
} satisfies OptionParsers<RequireOwnReferenceOptions>;

/**
 * Makes the middleware that demands the caller's own `refercence_cl` (docs/interface.md 5.6). Mount it after
 * `requireBearer`, whose `bodyLimit` and `respond` it inherits, on the route that declares the path parameters.
 * @throws TypeError for an unknown option, at construction; for a request that passed no guard, through `next`
 */
export function requireOwnReference(options: RequireOwnReferenceOptions = {}): Middleware {
  const { from } = parseOptions('requireOwnReference', options, OPTIONS);

  const ownReferenceGuard: Middleware = (req, res, next) => {
    const guarded = guardedOf(req, 'requireOwnReference');
    const { merchant, guard } = guarded;
    const check = async () => {
      const body = await checkOwnReferences(req, res, guarded);
      if (from === undefined) {
        enforce(req, guarded, () => demandReference(req, body));
        return;
      }
      const value = await callAsync(() => from(req as Request));
      enforce(req, guarded, () => {
        if (value === undefined) throw missingReference(false);
        checkReference(value, merchant.referencl);
      });
    };
    check().then(
      () => next(),
      (error: unknown) => {
        reportRefusal(error, () => ({ realm: guard.realm, source: sourceOf(req), accountId: merchant.id }));
        refuse(error, guard.respond, req, res, next);
      },
    );
  };
  return markHandler(ownReferenceGuard, { kind: 'ownReference' });
}
