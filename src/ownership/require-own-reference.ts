import type { IncomingMessage } from 'node:http';
import { guardedOf } from '../bearer/merchant.js';
import { reportRefusal } from '../bearer/report-refusal.js';
import { AuthError } from '../errors/auth-error.js';
import type { RequestHandler } from '../http/middleware.js';
import { callAsync } from '../call-async.js';
import { refuse } from '../http/refuse.js';
import { checkFunction, checkOptions, type OptionNames } from '../options.js';
import { checkBody, checkTarget, demandReference } from './check-ownership.js';
import { checkReference } from './references.js';

export interface OwnReferenceOptions {
  /**
   * Takes the reference from a place of the host's own (a header, a body field of another name); a promise is awaited.
   * It is then the one that must be there. Default: a path parameter, the body's top level, or the query without a body.
   */
  readonly from?: (req: IncomingMessage) => unknown;
}

const OPTIONS: OptionNames<OwnReferenceOptions> = { from: true };

/**
 * Makes the middleware that demands `refercence_cl`, and that it is the caller's own (SPEC.md 5.6). It stands behind
 * `requireBearer`, whose `bodyLimit` and `respond` it inherits, on the route that declares the path parameters.
 * @throws TypeError for an unknown option, at construction; for a request that passed no guard, through `next`
 */
export function requireOwnReference(options: OwnReferenceOptions = {}): RequestHandler {
  checkOptions('requireOwnReference', options, OPTIONS);
  const { from } = options;
  if (from !== undefined) checkFunction('requireOwnReference: from', from);

  return function ownReferenceGuard(req, res, next) {
    const { merchant, readBody, respond, realm } = guardedOf(req, 'requireOwnReference');
    const check = async () => {
      checkTarget(req, merchant.referencl);
      const body = await readBody(req, res);
      checkBody(body, merchant.referencl);
      if (from === undefined) {
        demandReference(req, body);
        return;
      }
      const value = await callAsync(() => from(req));
      if (value === undefined) throw new AuthError('missing_reference');
      checkReference(value, merchant.referencl);
    };
    check().then(
      () => next(),
      (error: unknown) => {
        reportRefusal(error, req, realm, merchant.id);
        refuse(error, respond, req, res, next);
      },
    );
  };
}
