import { Router } from 'express';
import { refuse, type Respond, respondJson } from '../http/refuse.js';
import { writeJson } from '../http/write-json.js';
import { checkFunction, checkMethods, checkOptions, type OptionNames } from '../options.js';
import { createPasswords, type Passwords } from '../passwords/passwords.js';
import { checkStoreTimeout, DEFAULT_STORE_TIMEOUT_MS } from '../store/call-store.js';
import { checkUserStore, type MerchantAccount, type UserStore } from '../store/user-store.js';
import { checkTokens, createTokens, type Tokens } from '../tokens/tokens.js';
import { createAuthenticate } from './authenticate.js';
import { readLoginBody } from './read-login-body.js';

export interface LoginRouterOptions {
  /** What issues the tokens. Default: `createTokens()`, with `JWT_SECRET` from the environment. */
  readonly tokens?: Tokens;
  /** What checks the passwords. Default: `createPasswords()`. */
  readonly passwords?: Passwords;
  /** How long `findCredentials` may take, in milliseconds. Default 5,000. */
  readonly storeTimeoutMs?: number;
  /** Writes a refusal. Default: the JSON layout. */
  readonly respond?: Respond;
}

const OPTIONS: OptionNames<LoginRouterOptions> = {
  tokens: true,
  passwords: true,
  storeTimeoutMs: true,
  respond: true,
};

/**
 * Makes the router that answers `POST /login` (SPEC.md 4) under the path where it is mounted, and nothing else. Mount it
 * in front of the guard.
 * @throws TypeError for a store without its two methods, a missing secret, tokens that cannot sign, or an unknown option
 */
export function createLoginRouter(userStore: UserStore, options: LoginRouterOptions = {}): Router {
  checkUserStore('createLoginRouter', userStore);
  checkOptions('createLoginRouter', options, OPTIONS);
  const {
    tokens = createTokens(),
    passwords = createPasswords(),
    storeTimeoutMs = DEFAULT_STORE_TIMEOUT_MS,
    respond = respondJson,
  } = options;
  checkTokens('createLoginRouter', tokens);
  if ('canSign' in tokens && !tokens.canSign)
    throw new TypeError('createLoginRouter: these tokens cannot sign. Give the first key its privateKey.');
  checkMethods('createLoginRouter: passwords', passwords, ['verify'], 'Give what createPasswords(...) returned.');
  checkStoreTimeout('createLoginRouter', storeTimeoutMs);
  checkFunction('createLoginRouter: respond', respond);

  const authenticate = createAuthenticate({ userStore, passwords, storeTimeoutMs, realm: tokens.realm });

  const router = Router();
  router.post('/login', function login(req, res, next) {
    const answer = async () => {
      const body = await readLoginBody(req, res);
      const readAt = tokens.now?.();
      const { account } = await authenticate(body);
      writeJson(res, 200, successBody(account, tokens.issue(account, readAt)), { 'Cache-Control': 'no-store' });
    };
    answer().catch((error: unknown) => refuse(error, respond, req, res, next));
  });
  return router;
}

/** SPEC.md 2.2: these members, in this order. */
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
