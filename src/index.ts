export type { RequireBearerOptions } from './guard/require-bearer-options.js';
export { createGuard, type Guard } from './guard/guard.js';
export type { GuardOptions } from './guard/guard-options.js';
export { requireBearer } from './guard/require-bearer.js';
export {
  AuthError,
  type AuthErrorBody,
  type AuthErrorOptions,
  type FieldError,
  type LimitedFieldError,
} from './errors/auth-error.js';
export type { AuthErrorCode } from './errors/catalogue.js';
export { type AuthEvent, type LoginFailure, onAuthEvent } from './events/auth-event.js';
export { authErrorHandler, type AuthErrorHandlerOptions } from './http/auth-error-handler.js';
export type { ErrorMiddleware, Middleware, Respond } from './http/middleware.js';
export type { LoginCredentials } from './login/check-arguments.js';
export { createLogin, type Login, type LoginResult } from './login/login.js';
export type { LoginOptions } from './login/login-options.js';
export { createLoginRouter, type LoginRouterOptions } from './login/login-router.js';
export { type Merchant, merchantOf } from './ownership/merchant.js';
export { requireOwnReference, type RequireOwnReferenceOptions } from './ownership/require-own-reference.js';
export type { PasswordFormat } from './passwords/format.js';
export { createPasswords, type Passwords } from './passwords/passwords.js';
export type { PasswordsOptions } from './passwords/passwords-options.js';
export { type CachedUserStoreOptions, createCachedUserStore } from './store/cached-user-store.js';
export { type InMemoryAccount, InMemoryUserStore } from './store/in-memory-user-store.js';
export type { Credentials, MerchantAccount, UserStore } from './store/user-store.js';
export { createLoginThrottle, type LoginThrottle } from './throttle/login-throttle.js';
export type { FailureLimit, LimiterOptions, LoginThrottleOptions } from './throttle/throttle-options.js';
export type { Algorithm } from './tokens/algorithms.js';
export type { JsonWebKeySet, PublicJwk } from './tokens/jwks.js';
export type { KeyConfig, KeyInput, KeyPairConfig, SecretKeyConfig } from './tokens/keys.js';
export { TOKEN_LIFETIME_SECONDS, type TokenClaims } from './tokens/rules.js';
export type { SecretInput } from './tokens/secrets.js';
export { createTokens, type Tokens } from './tokens/tokens.js';
export type { TokensOptions } from './tokens/tokens-options.js';
