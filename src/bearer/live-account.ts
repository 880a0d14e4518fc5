import { AuthError } from '../errors/auth-error.js';
import { callStore } from '../store/call-store.js';
import { type GuardedMembers, readFound } from '../store/check-account.js';
import type { MerchantAccount, UserStore } from '../store/user-store.js';
import { CLOCK_SKEW_SECONDS, type TokenClaims } from '../tokens/rules.js';

/** The settings of a guard that reads accounts. */
export interface AccountCheck {
  readonly realm: string;
  readonly storeTimeoutMs: number;
}

/** An account that is still good. */
export interface LiveAccount {
  /** The object that the store returned. */
  readonly account: MerchantAccount;
  /** Its merchant reference, as it was checked. */
  readonly referencl: string;
}

/**
 * Returns the account of a good token, as it is now.
 * @throws AuthError `store_unavailable` or `malformed_account` when the store fails
 * @throws AuthError `revoked_token` when the account is gone or disabled, or when its tokens were revoked
 */
export async function liveAccount(
  userStore: UserStore,
  claims: TokenClaims,
  { realm, storeTimeoutMs }: AccountCheck,
): Promise<LiveAccount> {
  const account = await callStore('findById', storeTimeoutMs, () => userStore.findById(claims.sub));
  const members = readFound(account, claims.sub);
  if (account === null || members === null || members.disabled || isRevoked(members, claims)) {
    throw new AuthError('revoked_token', { realm });
  }
  return { account, referencl: members.marchand.referencl };
}

/**
 * A token passes when `tokensValidAfter` is absent, is the value that the login read, or is more than 60 s before the
 * token. The clock that set it may differ from ours by 60 s either way, so only equality proves a login after it.
 */
function isRevoked({ tokensValidAfter }: GuardedMembers, { iat, valid_after: readAtLogin }: TokenClaims): boolean {
  const validAfter = tokensValidAfter?.getTime();
  if (validAfter === undefined || validAfter === readAtLogin) return false;
  return !(iat * 1000 - validAfter > CLOCK_SKEW_SECONDS * 1000);
}
