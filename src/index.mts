// A thin wrapper, so that `require` and `import` share one instance: one AuthError, one memory of guarded requests.
export type * from './index.js';
export {
  AuthError,
  authErrorHandler,
  createLoginRouter,
  createPasswords,
  createTokens,
  InMemoryUserStore,
  merchantOf,
  requireBearer,
  requireOwnReference,
  TOKEN_LIFETIME_SECONDS,
} from './index.js';
