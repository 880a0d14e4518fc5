import type { IncomingMessage, ServerResponse } from 'node:http';
import { Router } from 'express';
import { useDictionaryMode } from '../http/dictionary-mode.js';
import { markHandler } from '../http/handler-mark.js';
import type { Middleware, Respond } from '../http/middleware.js';
import { refuse, respondJson } from '../http/refuse.js';
import { writeJson } from '../http/write-json.js';
import { checkCalled, checkOptions } from '../options/check-options.js';
import { callback } from '../options/parse-options.js';
import type { MerchantAccount, UserStore } from '../store/user-store.js';
import { Login } from './login.js';
import { LOGIN_OPTIONS, type LoginOptions, parseLoginOptions } from './login-options.js';
import { readLoginBody } from './read-login-body.js';

export interface LoginRouterOptions extends LoginOptions {
  /** Writes a refusal. Default: the JSON layout. */
  readonly respond?: Respond;
}

const OWN_OPTIONS = { respond: callback<Respond>(respondJson) };

/**
 * Makes the router that answers `POST /login` (docs/interface.md 4) below the path where it is mounted, and nothing else.
 * Mount it before the guard.
 * @param source the store, or a `Login`, with which `respond` is the only option
 * @throws TypeError for a store without its two methods, a missing secret, tokens that cannot sign, or an unknown option
 */
export function createLoginRouter(userStore: UserStore, options?: LoginRouterOptions): Router;
export function createLoginRouter(login: Login, options?: Pick<LoginRouterOptions, 'respond'>): Router;
export function createLoginRouter(source: UserStore | Login, options: LoginRouterOptions = {}): Router {
  checkCalled('createLoginRouter', source);
  const isLogin = source instanceof Login;
  checkOptions('createLoginRouter', options, isLogin ? OWN_OPTIONS : { ...LOGIN_OPTIONS, ...OWN_OPTIONS });
  const { respond, ...loginOptions } = options;
  const login = isLogin ? source : new Login(parseLoginOptions('createLoginRouter', source, loginOptions));
  const refuseWith = OWN_OPTIONS.respond('createLoginRouter: respond', respond);

  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    await login.admit(req);
    const { email, password } = await readLoginBody(req, res);
    const { account, token } = await login.attemptValid(req, { identifier: email, password });
    writeJson(res, 200, JSON.stringify(successBody(account, token)), { 'Cache-Control': 'no-store' });
  };

  const answerLogin: Middleware = (req, res, next) => {
    if (req.method !== 'POST') {
      next();
      return;
    }
    useDictionaryMode(req, res);
    answer(req, res).catch((error: unknown) => {
      // Nobody is there to be answered.
      const isDisconnected = error instanceof DOMException && error.name === 'AbortError';
      if (!isDisconnected) refuse(error, refuseWith, req, res, next);
    });
  };

  const router = Router();
  // Not `post`, because Express would answer OPTIONS, and only POST /login needs no token (docs/interface.md 5.3).
  router.all('/login', markHandler(answerLogin, { kind: 'login' }));
  return router;
}

/** The body of docs/interface.md 2.2: these members, in this order. */
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
