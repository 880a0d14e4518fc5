export { type BearerOptions, requireBearer } from './bearer/require-bearer.js';
export { type Merchant, merchantOf } from './bearer/merchant.js';
export { AuthError, type AuthErrorBody, type AuthErrorOptions, type FieldError } from './errors/auth-error.js';
export type { AuthErrorCode } from './errors/catalogue.js';
export { authErrorHandler } from './http/auth-error-handler.js';
export type { ErrorRequestHandler, Next, RequestHandler } from './http/middleware.js';
export type { Respond } from './http/refuse.js';
export { createLoginRouter, type LoginRouterOptions } from './login/login-router.js';
export { type OwnReferenceOptions, requireOwnReference } from './ownership/require-own-reference.js';
export { type AuthEvent, onAuthEvent } from './events/auth-event.js';
export type { PasswordFormat } from './passwords/format.js';
export { createPasswords, type Passwords, type PasswordsOptions, type VerifyOptions } from './passwords/passwords.js';
export { cachedUserStore, type CachedUserStoreOptions } from './store/cached-user-store.js';
export type { LimiterOptions } from './throttle/limiters.js';
export {
  createLoginThrottle,
  type FailureLimit,
  type LoginThrottle,
  type LoginThrottleOptions,
  type ThrottleKeys,
} from './throttle/login-throttle.js';
export { InMemoryUserStore, type NewAccount } from './store/in-memory-user-store.js';
export type { Credentials, MerchantAccount, UserStore } from './store/user-store.js';
export type { Algorithm } from './tokens/algorithms.js';
export { TOKEN_LIFETIME_SECONDS, type TokenClaims } from './tokens/claims.js';
export type { KeyConfig, KeyInput, KeyPairConfig, SecretInput, SecretKeyConfig } from './tokens/keys.js';
export { createTokens, type Tokens, type TokensOptions } from './tokens/tokens.js';
