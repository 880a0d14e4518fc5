// `npm run types` compiles this file, and so do the consumers, with `declaration`. Each type that a function returns must
// have a name that a host can import, because the declarations of the host name it.
import type { IncomingMessage } from 'node:http';
import * as auth from '../../src/index.js';
import * as openapi from '../../src/openapi/index.js';
import * as testing from '../../src/testing/index.js';

declare const userStore: auth.UserStore;
declare const req: IncomingMessage;

export const returned = {
  AuthError: new auth.AuthError('too_busy'),
  authErrorHandler: auth.authErrorHandler(),
  createCachedUserStore: auth.createCachedUserStore(userStore, { maxStalenessMs: 1 }),
  createGuard: auth.createGuard(),
  createLogin: auth.createLogin(userStore),
  createLoginRouter: auth.createLoginRouter(userStore),
  createLoginThrottle: auth.createLoginThrottle(),
  createPasswords: auth.createPasswords(),
  createTokens: auth.createTokens(),
  InMemoryUserStore: new auth.InMemoryUserStore(),
  merchantOf: auth.merchantOf(req),
  onAuthEvent: auth.onAuthEvent(() => undefined),
  requireBearer: auth.requireBearer(),
  requireOwnReference: auth.requireOwnReference(),
  TOKEN_LIFETIME_SECONDS: auth.TOKEN_LIFETIME_SECONDS,
} satisfies Record<keyof typeof auth, unknown>;

const { AuthError: error, createTokens: tokens, createPasswords: passwords } = returned;
export const { errors } = error;
export const body = error.toJSON();
export const merchant = returned.createGuard.authenticate(req);
export const result = returned.createLogin.attempt(req, { identifier: '', password: '' });
export const credentials = returned.createCachedUserStore.findCredentials('');
export const load = passwords.load();
export const claims = tokens.verify('');
export const jwks = tokens.jwks();
export const [jwk] = jwks.keys;

export const described = {
  guardedResponses: openapi.guardedResponses,
  openApi: openapi.openApi(),
} satisfies Record<keyof typeof openapi, unknown>;
export const { paths, components } = described.openApi;
export const login = paths['/v1/login']?.post;
export const response = components.responses['x'];

export const testTokens = testing.createTestTokens(tokens);
export const { forAccount } = testTokens;
export const cases = testing.userStoreContract(() => Promise.reject(new Error('never called')));
