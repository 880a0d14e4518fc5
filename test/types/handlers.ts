// `npm run types` compiles this file, and nothing runs it. Code of hosts must compile, and each mistake must be reported.
import type { IncomingMessage } from 'node:http';
import express, { type ErrorRequestHandler, type NextFunction, type Request, type Response, Router } from 'express';
import {
  AuthError,
  type AuthErrorCode,
  authErrorHandler,
  createGuard,
  createLogin,
  createLoginRouter,
  createLoginThrottle,
  createTokens,
  type ErrorMiddleware,
  type Guard,
  type Login,
  type LoginResult,
  type Merchant,
  type MerchantAccount,
  merchantOf,
  type Middleware,
  requireBearer,
  requireOwnReference,
  type Respond,
  type UserStore,
} from '../../src/index.js';

interface ShopAccount extends MerchantAccount {
  readonly shop: string;
}

interface Payment {
  readonly refercence_cl: string;
  readonly amount: number;
}

declare const userStore: UserStore<ShopAccount>;

const app = express();
app.use('/v1', createLoginRouter(userStore));
app.use('/v1', requireBearer({ userStore }));

// Handlers with typed params, bodies and queries, behind each middleware and behind all of them.
app.get('/plain/:id', requireBearer(), (req, res) => {
  const id: string = req.params.id;
  res.json({ id });
});
app.get('/params/:id', requireOwnReference(), (req: Request<{ id: string }>, res) => {
  const id: string = req.params.id;
  res.json({ id, referencl: merchantOf(req).referencl });
});
app.post('/body', requireBearer(), requireOwnReference(), (req: Request<object, unknown, Payment>, res) => {
  const amount: number = req.body.amount;
  res.json({ amount });
});
app.get('/query', requireBearer(), (req: Request<object, unknown, unknown, { page: string }>, res) => {
  const page: string = req.query.page;
  res.json({ page });
});
app.post(
  '/all/:id',
  [requireBearer({ userStore, reference: 'unchecked' }), express.urlencoded(), requireOwnReference()],
  (req: Request<{ id: string }, { id: string }, Payment, { page?: string }>, res: Response<{ id: string }>) => {
    res.json({ id: req.params.id });
  },
);
app
  .route('/route/:id')
  .all(requireBearer())
  .get((req, res) => {
    res.json(merchantOf(req).id);
  });
Router({ mergeParams: true }).use(requireBearer(), requireOwnReference());

// They fit beside Express's middleware types.
const listed: express.RequestHandler[] = [requireBearer(), requireOwnReference()];
const onError: ErrorRequestHandler = authErrorHandler();
const viaOwnType: Middleware = requireBearer();
const onErrorViaOwnType: ErrorMiddleware = authErrorHandler();
app.use(...listed, viaOwnType, onError, onErrorViaOwnType);
app.use(authErrorHandler());
app.use((err: unknown, _req: Request, res: Response, next: NextFunction) => {
  if (!(err instanceof AuthError)) {
    next(err);
    return;
  }
  const code: AuthErrorCode = err.code;
  res.status(err.status).set(err.headers).json({ code, body: err.toJSON() });
});

// The caller has the account type of the host, or no account without a store.
app.get('/merchant', (req, res) => {
  const shop: string = merchantOf<ShopAccount>(req).account.shop;
  const nothing: null = merchantOf<null>(req).account;
  const either: MerchantAccount | null = merchantOf(req).account;
  res.json({ shop, nothing, either, expires: merchantOf(req).claims.exp });
});

// In a login route of the host, the account keeps its type.
const login = createLogin(userStore, { throttle: false, maxPendingLogins: 50 });
app.post('/auth/login', (req: Request<object, unknown, { username: string; password: string }>, res, next) => {
  login.attempt(req, { identifier: req.body.username, password: req.body.password }).then(({ account, token }) => {
    const shop: string = account.shop;
    res.set('Cache-Control', 'no-store').json({ shop, token });
  }, next);
});
const viaLoginType: Login<ShopAccount> = login;
const anyLogin: Login = login;
export const attempt = (req: IncomingMessage): Promise<LoginResult<ShopAccount>> =>
  viaLoginType.attempt(req, { identifier: 'awa', password: 'baobab-2026' });
createLoginRouter(login);
createLoginRouter(anyLogin, { respond: (error, _req, res) => res.status(error.status).json(error) });
createLogin(userStore, { tokens: createTokens(), throttle: createLoginThrottle(), digestKey: new Uint8Array(32) });
export const byName: UserStore<ShopAccount> = {
  findCredentials: async (identifier) => {
    const account = await userStore.findById(identifier);
    return account && { account, passwordHash: null, identifier };
  },
  findById: (id) => userStore.findById(id),
};

// The package accepts these functions of the host.
const respond: Respond = (error, _req, _res, next) => {
  next(error);
};
createLoginRouter(userStore, { respond, tokens: createTokens({ realm: 'merchant' }) });
requireBearer({ respond, storeTimeoutMs: 1000, bodyLimit: 1_000_000 });
requireOwnReference({ from: (req) => req.headers['x-reference'] });

// A guard for middleware, and for code that no middleware reaches.
const guard: Guard = createGuard({ userStore, tokens: createTokens(), storeTimeoutMs: 1000 });
requireBearer({ guard });
requireBearer({ guard, reference: 'unchecked', bodyLimit: 1_000_000, respond });
export const authenticate = (req: IncomingMessage): Promise<Merchant> =>
  guard.authenticate(req, { source: req.headers.forwarded });

// @ts-expect-error -- `reference` is 'own' or 'unchecked'
requireBearer({ reference: 'none' });
// @ts-expect-error -- with a Login, respond is the only option
createLoginRouter(login, { throttle: false });
// @ts-expect-error -- only createGuard makes a guard
requireBearer({ authenticate: guard.authenticate.bind(guard) });
// @ts-expect-error -- `reference` is an option of requireBearer
createGuard({ reference: 'own' });
// @ts-expect-error -- `pepper` is `digestKey`
createLogin(userStore, { pepper: 'x' });
// @ts-expect-error -- only createLoginThrottle makes a LoginThrottle
createLogin(userStore, { throttle: { check: () => Promise.resolve(0) } });
// @ts-expect-error -- `attempt` needs both texts
export const half = (req: Request) => login.attempt(req, { identifier: 'awa' });
// @ts-expect-error -- the store comes first
createLoginRouter({ userStore });
// @ts-expect-error -- a code that no error has
new AuthError('wrong_password');
app.get('/mistakes', (req, res) => {
  // @ts-expect-error -- not the type of an account
  const merchant = merchantOf<{ readonly shop: string }>(req);
  // @ts-expect-error -- without a store there is no account
  const email: string = merchantOf(req).account.email;
  res.json({ merchant, email });
});
export const forgetful: UserStore = {
  // @ts-expect-error -- absence is null; undefined is what a forgotten `return` gives
  findCredentials: () => Promise.resolve(undefined),
  findById: () => Promise.resolve(null),
};
