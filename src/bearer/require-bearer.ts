import { pauseFlow } from '../body/pause-flow.js';
import { reportOwnershipRefusal, reportTokenRefusal } from '../events/report-refusal.js';
import { useDictionaryMode } from '../http/dictionary-mode.js';
import { markHandler, type Middleware } from '../http/middleware.js';
import { inNextPhase } from '../http/next-phase.js';
import { refuse } from '../http/answer.js';
import { sourceOf } from '../http/source.js';
import { checkOwnReferences } from '../ownership/check-own-references.js';
import { clearGuarded, type Guarded, setGuarded } from '../ownership/merchant.js';
import { bearerToken } from './authorization.js';
import { parseRequireBearerOptions, type RequireBearerOptions } from './bearer-options.js';
import { liveAccount } from './live-account.js';

/**
 * Makes the guard, for all routes except the login. A request passes when these are true:
 * - It has a valid bearer token (RFC 6750 section 2.1).
 * - Its account exists, is not disabled, and does not refuse the token by `tokensValidAfter`. This needs a `userStore`.
 * - Each `refercence_cl` in it is the caller's own.
 *
 * The guard checks the token before it reads the body, so that a caller without a token causes no parsing. Refusals go
 * to `respond`. Errors of the store go to `next`.
 *
 * The guard does not check three things:
 * - a `refercence_cl` in a path parameter of a route, because a guard in `app.use` cannot see it. Mount
 *   `requireOwnReference` on the route
 * - a reference with another name. Use `from` of `requireOwnReference`
 * - a transaction that the request names by its id. The handler must check that it belongs to the caller
 * @throws TypeError for a missing secret, an unknown or wrong option, or when it is mounted without the call
 */
export function requireBearer(options: RequireBearerOptions = {}): Middleware {
  const guard = parseRequireBearerOptions(options);
  const { tokens, userStore, reference, realm, respond } = guard;

  const check = async (...[req, res, next]: Parameters<Middleware>): Promise<void> => {
    const resume = pauseFlow(req);
    let proceed = () => next();
    let accountId: string | undefined;
    try {
      clearGuarded(req);
      const claims = tokens.verify(bearerToken(req, realm));
      accountId = claims.sub;
      const { account, referencl } =
        userStore === null
          ? { account: null, referencl: claims.referencl }
          : await liveAccount(userStore, claims, guard);
      const guarded: Guarded = { merchant: Object.freeze({ id: claims.sub, referencl, account, claims }), guard };
      if (reference !== 'unchecked') await checkOwnReferences(req, res, guarded);
      setGuarded(req, guarded);
    } catch (error) {
      const id = accountId;
      if (id === undefined) reportTokenRefusal(error, () => ({ realm, source: sourceOf(req), accountId: id }));
      else reportOwnershipRefusal(error, () => ({ realm, source: sourceOf(req), accountId: id, enforced: true }));
      proceed = () => refuse(error, respond, req, res, next);
    }
    // Resumes the stream only when the handler runs, so that no data is lost before it.
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
    { kind: 'bearer', account: userStore !== null, reference },
  );
}
