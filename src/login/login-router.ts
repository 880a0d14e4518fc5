import type { IncomingMessage, ServerResponse } from 'node:http';
import { Router } from 'express';
import { leaveHiddenClasses } from '../http/hidden-classes.js';
import { refuse, type Respond, respondJson } from '../http/refuse.js';
import { writeJson } from '../http/write-json.js';
import { checkCalled, checkFunction, checkMethods, checkOptions, type OptionNames } from '../options.js';
import { createPasswords, type Passwords } from '../passwords/passwords.js';
import { Places } from '../passwords/permits.js';
import { checkStoreTimeout, DEFAULT_STORE_TIMEOUT_MS } from '../store/call-store.js';
import { checkUserStore, type MerchantAccount, type UserStore } from '../store/user-store.js';
import { checkTokens, createTokens, type Tokens } from '../tokens/tokens.js';
import { checkThrottle, createLoginThrottle, type LoginThrottle } from '../throttle/login-throttle.js';
import { createKeyedDigest } from '../pepper.js';
import { createAuthenticate } from './authenticate.js';
import { readLoginBody } from './read-login-body.js';
import { reportFailedLogin, reportLogin } from './report-login.js';
import { sourceOf } from '../http/source.js';
import { upgradeHash } from './upgrade-hash.js';
import type { LoginAttempt } from './verify-credentials.js';

export interface LoginRouterOptions {
  /** What issues the tokens. Default: `createTokens()`, with `JWT_SECRET` from the environment. */
  readonly tokens?: Tokens;
  /** What checks the passwords. Default: `createPasswords()`. */
  readonly passwords?: Passwords;
  /**
   * What counts failed logins. Default `createLoginThrottle()`, in the memory of the process. `false` when something in
   * front of the service does: without either, passwords can be guessed as fast as they are hashed.
   */
  readonly throttle?: LoginThrottle | false;
  /**
   * Text or bytes, 32 bytes or more, that key the throttle's keys, the choice of decoys and the audit's digests; the same
   * in all processes. Default: derived from `JWT_SECRET`, or else random.
   */
  readonly pepper?: string | Uint8Array;
  /** How long `findCredentials` may take, in milliseconds. Default 5,000. */
  readonly storeTimeoutMs?: number;
  /** Writes a refusal. Default: the JSON layout. */
  readonly respond?: Respond;
}

const OPTIONS: OptionNames<LoginRouterOptions> = {
  tokens: true,
  passwords: true,
  throttle: true,
  pepper: true,
  storeTimeoutMs: true,
  respond: true,
};

/**
 * Makes the router that answers `POST /login` (SPEC.md 4) under the path where it is mounted, and nothing else. Mount it
 * in front of the guard.
 * @throws TypeError for a store without its two methods, a missing secret, tokens that cannot sign, or an unknown option
 */
export function createLoginRouter(userStore: UserStore, options: LoginRouterOptions = {}): Router {
  checkCalled('createLoginRouter', userStore);
  checkUserStore('createLoginRouter', userStore);
  checkOptions('createLoginRouter', options, OPTIONS);
  const {
    tokens = createTokens(),
    passwords = createPasswords(),
    throttle = createLoginThrottle(),
    pepper,
    storeTimeoutMs = DEFAULT_STORE_TIMEOUT_MS,
    respond = respondJson,
  } = options;
  checkTokens('createLoginRouter', tokens);
  if ('canSign' in tokens && !tokens.canSign) {
    throw new TypeError('createLoginRouter: these tokens cannot sign. Give the first key its privateKey.');
  }
  checkMethods('createLoginRouter: passwords', passwords, ['verify'], 'Give what createPasswords(...) returned.');
  checkStoreTimeout('createLoginRouter', storeTimeoutMs);
  checkFunction('createLoginRouter: respond', respond);

  if (throttle !== false) checkThrottle('createLoginRouter', throttle);

  const { realm } = tokens;
  const digest = createKeyedDigest(pepper, throttle !== false && throttle.isShared);
  const checks = new Places();
  const config = { userStore, passwords, throttle: throttle || undefined, checks, digest, storeTimeoutMs, realm };
  const authenticate = createAuthenticate(config);

  /** @returns what is left to do when the answer is written */
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<() => Promise<void>> => {
    const body = await readLoginBody(req, res);
    const attempt: LoginAttempt = { body, source: sourceOf(req), signal: signalOf(res) };
    const readAt = tokens.now?.();
    try {
      const found = await authenticate(attempt);
      const token = tokens.issue(found.account, readAt);
      reportLogin(realm, attempt, { type: 'login_succeeded' });
      writeJson(res, 200, JSON.stringify(successBody(found.account, token)), { 'Cache-Control': 'no-store' });
      return () => upgradeHash(config, attempt, found);
    } catch (error) {
      reportFailedLogin(realm, attempt, error, passwords);
      if (attempt.signal.aborted) return () => Promise.resolve(); // nobody is there to be answered
      throw error;
    }
  };

  const router = Router();
  // Not `post`: Express would answer OPTIONS by itself, and only POST /login needs no token (SPEC.md 5.3).
  router.all('/login', function login(req, res, next) {
    if (req.method !== 'POST') {
      next();
      return;
    }
    leaveHiddenClasses(req, res);
    answer(req, res).then(
      (afterwards) => void afterwards(),
      (error: unknown) => refuse(error, respond, req, res, next),
    );
  });
  return router;
}

/** Aborts when the caller is gone before it has its answer, so that nothing is hashed for it. */
function signalOf(res: ServerResponse): AbortSignal {
  const gone = new AbortController();
  const abort = () => {
    if (!res.writableEnded) gone.abort();
  };
  if (res.destroyed) abort();
  else res.once('close', abort);
  return gone.signal;
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
