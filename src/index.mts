// A thin wrapper, so that `require` and `import` share one instance: one AuthError, one memory of guarded requests.
export type * from './index.js';
export {
  AuthError,
  authErrorHandler,
  cachedUserStore,
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
