import { AuthError } from '../errors/auth-error.js';
import type { GuardedMembers } from '../store/check-account.js';
import { CLOCK_SKEW_SECONDS, type TokenClaims } from '../tokens/rules.js';
import type { FoundAccount, ReadAccount } from './account-reader.js';

/** @throws AuthError `revoked_token`, or one of `ReadAccount` */
export async function liveAccount(readAccount: ReadAccount, claims: TokenClaims, realm: string): Promise<FoundAccount> {
  const found = await readAccount(claims.sub);
  if (found === null || found.members.disabled || isRevoked(found.members, claims)) {
    throw new AuthError('revoked_token', { realm });
  }
  return found;
}

/**
 * A token with exactly this `tokensValidAfter` is from a login that read it. Any other must be newer by more than
 * `CLOCK_SKEW_SECONDS`, by which clocks may differ.
 */
function isRevoked({ tokensValidAfter }: GuardedMembers, { iat, valid_after: readAtLogin }: TokenClaims): boolean {
  const validAfter = tokensValidAfter?.getTime();
  if (validAfter === undefined || validAfter === readAtLogin) return false;
  return !(iat * 1000 - validAfter > CLOCK_SKEW_SECONDS * 1000);
}
