import { callAsync } from '../call-async.js';
import type { AuthError } from '../errors/auth-error.js';
import type { TokenClaims } from './claims.js';
import type { Tokens } from './tokens.js';

/** `Tokens.verify`, but for the throw. */
export type Judge = (token: string) => TokenClaims | AuthError;

/** By the method, not the instance, so that a method that a host puts in its place is called. */
export const judges = new WeakMap<Tokens['verify'], Judge>();

/**
 * Verifies a token for the guard, whose callers choose how many bad ones there are: a throw is a tenth of what such a
 * request costs, so that our own verdicts are returned. A stand-in of the host's is called as it is, and may be async.
 */
export function judge(tokens: Tokens, token: string): TokenClaims | AuthError | Promise<TokenClaims> {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- looked up, not called
  const ours = judges.get(tokens.verify);
  return ours === undefined ? callAsync(() => tokens.verify(token)) : ours(token);
}
