// `npm run types` compiles this file, and nothing runs it. Each mistake must be reported, even by the declarations of
// the tarball, which the consumer typescript-nodenext compiles.
/* oxlint-disable typescript/no-misused-spread --
   The compiler has to report these mistakes too. */
import type { Request, Response } from 'express';
import {
  type AuthError,
  authErrorHandler,
  createCachedUserStore,
  createLogin,
  createLoginRouter,
  createPasswords,
  createTokens,
  InMemoryUserStore,
  type MerchantAccount,
  merchantOf,
  onAuthEvent,
  requireBearer,
  requireOwnReference,
  type TokenClaims,
  type UserStore,
} from '../../src/index.js';

interface ShopAccount extends MerchantAccount {
  readonly shop: string;
}

declare const userStore: UserStore<ShopAccount>;
declare const account: ShopAccount;
declare const claims: TokenClaims;
declare const findById: (id: string) => Promise<ShopAccount | null>;
declare const findCredentials: UserStore['findCredentials'];
declare const jwtService: { readonly realm: string; sign(payload: object): string; verify(token: string): TokenClaims };

// A store.
// @ts-expect-error -- findById is missing
requireBearer({ userStore: { findCredentials } });
// @ts-expect-error -- findCredentials is missing
createLoginRouter({ findById });
// @ts-expect-error -- the methods return promises
createLogin({ findCredentials, findById: () => null });
// @ts-expect-error -- replacePasswordHash tells if the hash was replaced
createLogin({ findById, findCredentials, replacePasswordHash: () => Promise.resolve() });
// @ts-expect-error -- an id is a string, even for a column of numbers
requireBearer({ userStore: { findCredentials, findById: (id: number) => findById(String(id)) } });
// @ts-expect-error -- an account has a reference
new InMemoryUserStore([{ ...account, marchand: undefined, password: 'baobab-2026' }]);
// @ts-expect-error -- the time that a cached account may be old has no default
createCachedUserStore(userStore, {});
// @ts-expect-error -- a missing store must not turn the check of the account off
export const unchecked: UserStore = undefined;

// The names of options.
// @ts-expect-error -- it is called `userStore`
requireBearer({ store: userStore });
// @ts-expect-error -- `requireOwnReference` inherits it from the guard
requireOwnReference({ reference: 'own' });
// @ts-expect-error -- `bodyLimit` belongs to the guard
createLoginRouter(userStore, { bodyLimit: 1_000_000 });
// @ts-expect-error -- the lifetime cannot be set
createTokens({ lifetime: 3600 });
// @ts-expect-error -- an algorithm of this package
createTokens({ keys: [{ kid: '1', algorithm: 'none', secret: 'x' }] });
// @ts-expect-error -- a pair has a public key
createTokens({ keys: [{ kid: '1', algorithm: 'ES256', privateKey: 'x' }] });
// @ts-expect-error -- argon2id or bcrypt
createPasswords({ algorithm: 'md5' });
// @ts-expect-error -- it is called `log`
authErrorHandler({ logger: console });

// The functions of the host.
// @ts-expect-error -- the error comes first
requireBearer({ respond: (req: Request, res: Response) => res.json(req.path) });
// @ts-expect-error -- `respond` gets no fifth value
requireBearer({ respond: (error, req, res, next, done) => String([error, req, res, next, done]) });
// @ts-expect-error -- a code that no error has
requireBearer({ respond: (error, _req, _res, next) => next(error.code === 'no_token' ? undefined : error) });
// @ts-expect-error -- a function, and not the name of a member
requireOwnReference({ from: 'merchantRef' });
// @ts-expect-error -- `from` gets only the request
requireOwnReference({ from: (req: Request, res: Response) => [req.path, res.locals] });
// @ts-expect-error -- an event that does not exist
onAuthEvent((event) => event.type === 'login');

// The tokens.
// @ts-expect-error -- only createTokens makes Tokens
requireBearer({ tokens: jwtService });
// @ts-expect-error -- a copy has no methods
createLogin(userStore, { tokens: { ...createTokens() } });
// @ts-expect-error -- an account, and not its id
createTokens().issue('1');
// @ts-expect-error -- claims cannot be changed
claims.referencl = 'CNT-1002';

// The guard and the merchant.
// @ts-expect-error -- requireBearer takes one object
requireBearer(userStore);
// @ts-expect-error -- the request, and not its user
export const ofUser = (req: Request) => merchantOf(req.user);
// @ts-expect-error -- the reference is `merchantOf(req).referencl`
export const ofAccount = (req: Request) => String(merchantOf<ShopAccount>(req).account.referencl);
// @ts-expect-error -- the merchant cannot be changed
export const changed = (req: Request) => (merchantOf(req).referencl = 'CNT-1002');
// @ts-expect-error -- the status of an error cannot be changed
export const hidden = (error: AuthError) => (error.status = 404);
