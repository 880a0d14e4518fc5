import { AuthError } from '../errors/auth-error.js';
import { leaveHiddenClasses } from '../http/hidden-classes.js';
import type { ExpressRequest, RequestHandler } from '../http/middleware.js';
import { createBodyReader } from '../http/read-body.js';
import { refuse, type Respond, respondJson } from '../http/refuse.js';
import { checkFunction, checkOptions, type OptionNames } from '../options.js';
import { checkBody, checkTarget } from '../ownership/check-ownership.js';
import { callStore, checkStoreTimeout, DEFAULT_STORE_TIMEOUT_MS } from '../store/call-store.js';
import { checkFound, isFilledString } from '../store/check-account.js';
import { checkUserStore, type MerchantAccount, type UserStore } from '../store/user-store.js';
import { invalidToken, type TokenClaims } from '../tokens/claims.js';
import { judge } from '../tokens/judge.js';
import { checkTokens, createTokens, type Tokens } from '../tokens/tokens.js';
import { bearerToken } from './authorization.js';
import { type Merchant, setGuarded } from './merchant.js';
import { reportRefusal } from './report-refusal.js';

export interface BearerOptions {
  /**
   * Where the account is read again on every request, so that a disabled, deleted or revoked one is refused at once.
   * Left out, the token alone is trusted until it expires, for a service without the account database.
   */
  readonly userStore?: UserStore;
  /** What verifies the tokens. Default: `createTokens()`, with `JWT_SECRET` from the environment. */
  readonly tokens?: Tokens;
  /**
   * `'own'` (the default, so that no route is forgotten) checks every `refercence_cl` that a request carries;
   * `'unchecked'` leaves it and the body alone, for routes with `requireOwnReference()` behind a parser of theirs.
   */
  readonly reference?: 'own' | 'unchecked';
  /** The most of a JSON body that is read, in bytes or as text like `'1mb'`. Default 100 KiB, as `express.json()`. */
  readonly bodyLimit?: number | string;
  /** How long `findById` may take, in milliseconds. Default 5,000. */
  readonly storeTimeoutMs?: number;
  /** Writes a refusal. Default: the JSON layout. */
  readonly respond?: Respond;
}

const OPTIONS: OptionNames<BearerOptions> = {
  userStore: true,
  tokens: true,
  reference: true,
  bodyLimit: true,
  storeTimeoutMs: true,
  respond: true,
};

const BODY_LIMIT = /^\d+(\.\d+)?\s*(b|kb|mb|gb)?$/i;

/**
 * Makes the guard: a request passes with a good bearer token (RFC 6750 section 2.1), of an account that is still good,
 * and without anybody else's `refercence_cl`. It decides about the token before it touches the body.
 *
 * It does not see path parameters of routes behind `app.use`, references under other names, or whether a transaction
 * that a request names is the caller's: `requireOwnReference` on the route, and the handler, check those.
 * @throws TypeError for a missing secret, an unknown or wrong option, or when it is mounted without the call
 */
export function requireBearer(options: BearerOptions = {}): RequestHandler {
  checkOptions('requireBearer', options, OPTIONS);
  const {
    userStore,
    tokens = createTokens(),
    reference = 'own',
    bodyLimit = '100kb',
    storeTimeoutMs = DEFAULT_STORE_TIMEOUT_MS,
    respond = respondJson,
  } = options;
  // A store that an import cycle left undefined must not turn into trust in the token alone.
  if ('userStore' in options) checkUserStore('requireBearer', userStore);
  checkTokens('requireBearer', tokens);
  if (!['own', 'unchecked'].includes(reference)) {
    throw new TypeError("requireBearer: reference must be 'own' or 'unchecked'.");
  }
  if (typeof bodyLimit === 'string' ? !BODY_LIMIT.test(bodyLimit) : !(Number.isInteger(bodyLimit) && bodyLimit > 0)) {
    throw new TypeError("requireBearer: bodyLimit must be a whole number of bytes, or text like '100kb'.");
  }
  checkStoreTimeout('requireBearer', storeTimeoutMs);
  checkFunction('requireBearer: respond', respond);

  const { realm } = tokens;
  const readBody = createBodyReader(bodyLimit);

  const judgeTokenOf = (req: ExpressRequest) => {
    const token = bearerToken(req);
    if (token === undefined) return new AuthError('missing_token', { realm });
    if (token === null) return invalidToken(realm, 'it is not in one header of the form Bearer <token>');
    return judge(tokens, token);
  };

  return function bearerGuard(req: ExpressRequest, res, next) {
    leaveHiddenClasses(req, res);
    let subject: string | undefined;
    const deny = (error: unknown) => {
      reportRefusal(error, req, realm, subject);
      refuse(error, respond, req, res, next);
    };
    const guard = async (verdict: TokenClaims | Promise<TokenClaims>) => {
      const claims = verdict instanceof Promise ? await verdict : verdict;
      if (!hasClaims(claims)) throw new TypeError('requireBearer: tokens.verify returned no claims.');
      subject = claims.sub;
      let account: MerchantAccount | null = null;
      if (userStore !== undefined) {
        const found = await callStore('findById', storeTimeoutMs, () => userStore.findById(claims.sub));
        account = acceptAccount(found, claims, realm);
      }
      const referencl = account?.marchand.referencl ?? claims.referencl;
      const merchant: Merchant = Object.freeze({ id: claims.sub, referencl, account, claims });
      setGuarded(req, { merchant, readBody, respond, realm });
      req.user = merchant;
      if (reference === 'unchecked') return;
      checkTarget(req, referencl);
      const body = readBody(req, res);
      checkBody(body instanceof Promise ? await body : body, referencl);
    };
    let verdict: ReturnType<typeof judgeTokenOf>;
    try {
      verdict = judgeTokenOf(req);
    } catch (error) {
      deny(error);
      return;
    }
    if (verdict instanceof AuthError) deny(verdict);
    else guard(verdict).then(() => next(), deny);
  };
}

function hasClaims(value: Partial<TokenClaims> | undefined): value is TokenClaims {
  const { sub, referencl } = value ?? {};
  return isFilledString(sub) && isFilledString(referencl);
}

/** The account of a good token, as just read. @throws AuthError `revoked_token`, or `malformed_account` */
function acceptAccount(account: MerchantAccount | null, { sub, iat }: TokenClaims, realm: string): MerchantAccount {
  checkFound(account, sub);
  const validAfter = account?.tokensValidAfter?.getTime();
  const isRevoked = validAfter !== undefined && !(iat * 1000 >= validAfter);
  if (account === null || account.disabled || isRevoked) throw new AuthError('revoked_token', { realm });
  return account;
}
