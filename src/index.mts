// A thin wrapper, so that `require` and `import` share one instance of every class.
export type * from './index.js';
export {
  AuthError,
  authErrorHandler,
  createCachedUserStore,
  createLogin,
  createLoginRouter,
  createLoginThrottle,
  createPasswords,
  createTokens,
  InMemoryUserStore,
  merchantOf,
  onAuthEvent,
  requireBearer,
  requireOwnReference,
  TOKEN_LIFETIME_SECONDS,
} from './index.js';
