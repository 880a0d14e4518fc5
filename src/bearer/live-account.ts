import { AuthError } from '../errors/auth-error.js';
import { callStore } from '../store/call-store.js';
import { type GuardedMembers, readAccountOf } from '../store/check-account.js';
import type { MerchantAccount, UserStore } from '../store/user-store.js';
import { CLOCK_SKEW_SECONDS, type TokenClaims } from '../tokens/rules.js';

/** The settings of the guard that the account check uses. */
export interface AccountCheck {
  readonly realm: string;
  readonly storeTimeoutMs: number;
}

/** An account that passed the account check. */
export interface LiveAccount {
  /** The object that the store returned. */
  readonly account: MerchantAccount;
  /** The merchant reference that was checked. Use it, because a getter of `account` can return another value later. */
  readonly referencl: string;
}

/**
 * Reads the account of a valid token from the store, and checks it.
 * @throws AuthError `store_unavailable` or `malformed_account` when the store fails
 * @throws AuthError `revoked_token` when the account is gone or disabled, or when its tokens were revoked
 */
export async function liveAccount(
  userStore: UserStore,
  claims: TokenClaims,
  { realm, storeTimeoutMs }: AccountCheck,
): Promise<LiveAccount> {
  const account = await callStore('findById', storeTimeoutMs, () => userStore.findById(claims.sub));
  const members = readAccountOf(account, claims.sub);
  if (account === null || members === null || members.disabled || isRevoked(members, claims)) {
    throw new AuthError('revoked_token', { realm });
  }
  return { account, referencl: members.marchand.referencl };
}

/**
 * Returns true for a token from before the time `tokensValidAfter`. A token with exactly this value is from a login
 * that read it, so it is valid. Any other token must be more than 60 s newer than this time, because clocks may differ
 * by 60 s.
 */
function isRevoked({ tokensValidAfter }: GuardedMembers, { iat, valid_after: readAtLogin }: TokenClaims): boolean {
  const validAfter = tokensValidAfter?.getTime();
  if (validAfter === undefined || validAfter === readAtLogin) return false;
  return !(iat * 1000 - validAfter > CLOCK_SKEW_SECONDS * 1000);
}
