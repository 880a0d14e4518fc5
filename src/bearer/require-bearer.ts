import { reportRefusal } from '../events/report-refusal.js';
import { useDictionaryMode } from '../http/dictionary-mode.js';
import { markHandler } from '../http/handler-mark.js';
import type { Middleware } from '../http/middleware.js';
import { pauseFlow } from '../http/pause-flow.js';
import { refuse } from '../http/refuse.js';
import { sourceOf } from '../http/source.js';
import { checkOwnReferences } from '../ownership/check-own-references.js';
import { setGuarded } from '../ownership/merchant.js';
import { bearerToken } from './authorization.js';
import { parseRequireBearerOptions, type RequireBearerOptions } from './bearer-options.js';
import { liveAccount } from './live-account.js';

/**
 * Makes the guard. A request passes with a good bearer token (RFC 6750 section 2.1) of an account that is still good, and
 * without anybody else's `refercence_cl`. The guard decides about the token before it touches the body.
 *
 * The guard does not see path parameters of routes behind `app.use` and references with other names. It does not know if a
 * transaction that a request names belongs to the caller. `requireOwnReference` on the route, and the handler, check those.
 * @throws TypeError for a missing secret, an unknown or wrong option, or when it is mounted without the call
 */
export function requireBearer(options: RequireBearerOptions = {}): Middleware {
  const guard = parseRequireBearerOptions(options);
  const { tokens, userStore, reference, realm, respond } = guard;

  const check = async (...[req, res, next]: Parameters<Middleware>): Promise<void> => {
    const resume = pauseFlow(req);
    let accountId: string | undefined;
    try {
      const claims = tokens.verify(bearerToken(req, realm));
      accountId = claims.sub;
      const { account, referencl } =
        userStore === null
          ? { account: null, referencl: claims.referencl }
          : await liveAccount(userStore, claims, guard);
      const guarded = setGuarded(req, guard, { claims, account, referencl });
      if (reference !== 'unchecked') await checkOwnReferences(req, res, guarded);
    } catch (error) {
      reportRefusal(error, () => ({ realm, source: sourceOf(req), accountId }));
      refuse(error, respond, req, res, next);
      resume();
      return;
    }
    resume();
    next();
  };

  const bearerGuard: Middleware = (req, res, next) => {
    useDictionaryMode(req, res);
    void check(req, res, next);
  };
  return markHandler(bearerGuard, { kind: 'bearer', account: userStore !== null, reference });
}
