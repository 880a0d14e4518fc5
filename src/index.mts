// Exports each name from its module, so that a bundler keeps only the modules that are used. The modules are CommonJS, so
// that `require` and `import` share one instance of every class.
export type * from './index.js';
export { createGuard } from './guard/guard.js';
export { requireBearer } from './guard/require-bearer.js';
export { AuthError } from './errors/auth-error.js';
export { onAuthEvent } from './events/auth-event.js';
export { authErrorHandler } from './http/auth-error-handler.js';
export { createLogin } from './login/login.js';
export { createLoginRouter } from './login/login-router.js';
export { merchantOf } from './ownership/merchant.js';
export { requireOwnReference } from './ownership/require-own-reference.js';
export { createPasswords } from './passwords/passwords.js';
export { createCachedUserStore } from './store/cached-user-store.js';
export { InMemoryUserStore } from './store/in-memory-user-store.js';
export { createLoginThrottle } from './throttle/login-throttle.js';
export { TOKEN_LIFETIME_SECONDS } from './tokens/rules.js';
export { createTokens } from './tokens/tokens.js';
