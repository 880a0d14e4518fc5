import type { IncomingMessage, ServerResponse } from 'node:http';
import { Router } from 'express';
import { AuthError } from '../errors/auth-error.js';
import { useDictionaryMode } from '../http/dictionary-mode.js';
import { isDisconnect } from '../queue/disconnect.js';
import { markHandler } from '../http/mark.js';
import type { Middleware, Respond } from '../http/middleware.js';
import { refuse, respondJson, writeJson } from '../http/answer.js';
import { checkCopy } from '../base/another-copy.js';
import { checkCalled } from '../base/check-options.js';
import { callback, parseOptions } from '../base/parse-options.js';
import type { UserStore } from '../store/user-store.js';
import { compileLoginSchema } from './broken-rules.js';
import { Login } from './login.js';
import { LOGIN_OPTIONS, loginConfig, type LoginOptions } from './login-options.js';
import { readLoginBody } from './read-login-body.js';
import { successBody } from './success-body.js';

/** The options of `createLoginRouter`. */
export interface LoginRouterOptions extends LoginOptions {
  /** Writes the answer to a refused login. Default: the status, the headers and the JSON body of the error. */
  readonly respond?: Respond;
}

/** Without OPTIONS, which belongs to the CORS of the host. */
const REFUSED_METHODS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']);

const OWN_OPTIONS = { respond: callback<Respond>(respondJson) };

/**
 * Makes the router for `POST /login` (docs/interface.md 4), below the path where it is mounted. GET, HEAD, PUT, PATCH
 * and DELETE get 405 there, and no other request is answered. Mount it before the guard, and after a page of the host at
 * this path. Refusals go to `respond`, and errors of the store to `next`.
 * @throws TypeError for a store without its two methods, a missing secret, tokens that cannot sign, or an unknown
 *   option
 * @throws Error where the process forbids code generation, which Ajv needs
 */
export function createLoginRouter(userStore: UserStore, options?: LoginRouterOptions): Router;
/**
 * Makes the router for a `Login` of `createLogin`.
 * @throws TypeError for an option other than `respond`
 */
export function createLoginRouter(login: Login, options?: Pick<LoginRouterOptions, 'respond'>): Router;
export function createLoginRouter(source: UserStore | Login, options: LoginRouterOptions = {}): Router {
  checkCalled('createLoginRouter', source);
  checkCopy('createLoginRouter: the login', source, Login);
  const { login, respond } = parse(source, options);
  const brokenRules = compileLoginSchema();

  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const { account, token } = await login.logIn(req, async () => {
      const { email, password } = await readLoginBody(req, res, brokenRules);
      return { identifier: email, password };
    });
    writeJson(res, 200, JSON.stringify(successBody(account, token)), { 'Cache-Control': 'no-store' });
  };

  const answerLogin = markHandler<Middleware>(
    function createLoginRouterMiddleware(req, res, next) {
      if (req.method !== 'POST') {
        if (REFUSED_METHODS.has(req.method)) refuse(new AuthError('method_not_allowed'), respond, req, res, next);
        else next();
        return;
      }
      useDictionaryMode(req, res);
      answer(req, res).catch((error: unknown) => {
        if (!isDisconnect(error, req)) refuse(error, respond, req, res, next);
      });
    },
    { kind: 'login' },
  );

  const router = Router();
  // For `post`, Express would answer OPTIONS too.
  router.all('/login', answerLogin);
  return router;
}

function parse(source: UserStore | Login, options: LoginRouterOptions) {
  if (source instanceof Login) return { login: source, ...parseOptions('createLoginRouter', options, OWN_OPTIONS) };
  const { respond, ...own } = parseOptions('createLoginRouter', options, { ...LOGIN_OPTIONS, ...OWN_OPTIONS });
  return { login: new Login(loginConfig('createLoginRouter', source, own)), respond };
}
