import type { IncomingMessage, ServerResponse } from 'node:http';
import { Router } from 'express';
import { AuthError } from '../errors/auth-error.js';
import { useDictionaryMode } from '../http/dictionary-mode.js';
import { isDisconnect } from '../http/disconnect.js';
import { markHandler, type Middleware, type Respond } from '../http/middleware.js';
import { refuse, respondJson, writeJson } from '../http/answer.js';
import { checkCopy } from '../options/another-copy.js';
import { checkCalled, checkOptions } from '../options/check-options.js';
import { callback } from '../options/parse-options.js';
import type { MerchantAccount, UserStore } from '../store/user-store.js';
import { Login } from './login.js';
import { LOGIN_OPTIONS, type LoginOptions, parseLoginOptions } from './login-options.js';
import { readLoginBody } from './read-login-body.js';

export interface LoginRouterOptions extends LoginOptions {
  /** Writes the answer to a refused login. Default: the status, the headers and the JSON body of the error. */
  readonly respond?: Respond;
}

/** Requests with other methods go on, because OPTIONS belongs to the CORS of the host. */
const REFUSED_METHODS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']);

const OWN_OPTIONS = { respond: callback<Respond>(respondJson) };

/**
 * Makes the router for `POST /login` (docs/interface.md 4), below the path where it is mounted. GET, HEAD, PUT, PATCH
 * and DELETE get 405 there, and no other request is answered. A host with a page at this path mounts the page first.
 * Mount the router before the guard, because a login has no token yet. Refusals go to `respond`, and errors of the
 * store to `next`.
 * @param userStore finds the accounts
 * @throws TypeError for a store without its two methods, a missing secret, tokens that cannot sign, or an unknown
 *   option
 */
export function createLoginRouter(userStore: UserStore, options?: LoginRouterOptions): Router;
/**
 * Makes the router for a `Login`, with which `respond` is the only option.
 * @param login is from `createLogin`
 * @throws TypeError for any other option
 */
export function createLoginRouter(login: Login, options?: Pick<LoginRouterOptions, 'respond'>): Router;
export function createLoginRouter(source: UserStore | Login, options: LoginRouterOptions = {}): Router {
  checkCalled('createLoginRouter', source);
  checkCopy('createLoginRouter: the login', source, Login);
  const isLogin = source instanceof Login;
  checkOptions('createLoginRouter', options, isLogin ? OWN_OPTIONS : { ...LOGIN_OPTIONS, ...OWN_OPTIONS });
  const { respond, ...loginOptions } = options;
  const login = isLogin ? source : new Login(parseLoginOptions('createLoginRouter', source, loginOptions));
  const refuseWith = OWN_OPTIONS.respond('createLoginRouter: respond', respond);

  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const { account, token } = await login.logIn(req, async () => {
      const { email, password } = await readLoginBody(req, res);
      return { identifier: email, password };
    });
    writeJson(res, 200, JSON.stringify(successBody(account, token)), { 'Cache-Control': 'no-store' });
  };

  const answerLogin = markHandler<Middleware>(
    function createLoginRouterMiddleware(req, res, next) {
      if (req.method !== 'POST') {
        if (REFUSED_METHODS.has(req.method)) refuse(new AuthError('method_not_allowed'), refuseWith, req, res, next);
        else next();
        return;
      }
      useDictionaryMode(req, res);
      answer(req, res).catch((error: unknown) => {
        if (!isDisconnect(error, req)) refuse(error, refuseWith, req, res, next);
      });
    },
    { kind: 'login' },
  );

  const router = Router();
  // `all` and not `post`, because for `post` Express answers OPTIONS too. Only POST /login needs no token
  // (docs/interface.md 5.3).
  router.all('/login', answerLogin);
  return router;
}

/** Returns the body of docs/interface.md 2.2, with exactly these members in this order. */
function successBody({ email, phone, marchand }: MerchantAccount, token: string) {
  return {
    status: 'Success',
    success: true,
    code: 200,
    message: 'Login success',
    user: { email, phone },
    marchand: { referencl: marchand.referencl, statut: marchand.statut },
    authorisation: { token, type: 'bearer' },
  };
}
