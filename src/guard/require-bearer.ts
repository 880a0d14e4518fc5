import { pauseFlow } from '../body/pause-flow.js';
import { useDictionaryMode } from '../http/dictionary-mode.js';
import { markHandler } from '../http/mark.js';
import type { Middleware } from '../http/middleware.js';
import { inNextPhase } from '../base/next-phase.js';
import { refuse } from '../http/answer.js';
import { checkOwnReferences } from '../ownership/check-own-references.js';
import { clearGuarded, setGuarded } from '../ownership/merchant.js';
import { parseRequireBearer, type RequireBearerOptions } from './require-bearer-options.js';

/**
 * Makes the guard, for all routes except the login. A request passes when these are true:
 * - It has a valid bearer token (RFC 6750 section 2.1).
 * - Its account exists, is not disabled, and does not refuse the token by `tokensValidAfter` or the caller's address by
 *   `allowedSources`. This needs a `userStore`.
 * - Each reference in it is the caller's own, under the names of `referenceNames`.
 *
 * The guard checks the token before it reads the body. Refusals go to `respond`, and errors of the store to `next`.
 *
 * The guard does not check three things:
 * - a reference in a path parameter, which a guard in `app.use` cannot see. Mount `requireOwnReference` on the route
 * - a reference with a name that `referenceNames` does not have
 * - a transaction that the request names by its id. The handler must check whose it is
 * @throws TypeError for a missing secret, an unknown or wrong option, or when it is mounted without the call
 */
export function requireBearer(options?: RequireBearerOptions): Middleware;
export function requireBearer(...args: [options?: RequireBearerOptions]): Middleware {
  const { guard, settings } = parseRequireBearer(args);
  const { reference, referenceNames, respond } = settings;

  const check = async (...[req, res, next]: Parameters<Middleware>): Promise<void> => {
    const resume = pauseFlow(req);
    let proceed = () => next();
    try {
      clearGuarded(req);
      const guarded = { merchant: await guard.authenticate(req), settings };
      if (reference !== 'unchecked') await checkOwnReferences(req, res, guarded);
      setGuarded(req, guarded);
    } catch (error) {
      proceed = () => refuse(error, respond, req, res, next);
    }
    // Data that flows before the handler runs is lost.
    inNextPhase(() => {
      resume();
      proceed();
    });
  };

  return markHandler<Middleware>(
    function requireBearerMiddleware(req, res, next) {
      useDictionaryMode(req, res);
      void check(req, res, next);
    },
    {
      kind: 'bearer',
      account: guard.readsAccounts,
      reference,
      names: [...referenceNames.list],
    },
  );
}
