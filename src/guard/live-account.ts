import { AuthError } from '../errors/auth-error.js';
import type { GuardedMembers } from '../store/check-account.js';
import { CLOCK_SKEW_SECONDS, type TokenClaims } from '../tokens/rules.js';
import type { FoundAccount, ReadAccount } from './account-reader.js';

/**
 * Reads the account of a valid token.
 * @throws AuthError `revoked_token`, or one of `ReadAccount`
 */
export async function liveAccount(readAccount: ReadAccount, claims: TokenClaims, realm: string): Promise<FoundAccount> {
  const found = await readAccount(claims.sub);
  if (found === null || found.members.disabled || isRevoked(found.members, claims)) {
    throw new AuthError('revoked_token', { realm });
  }
  return found;
}

/**
 * Returns true for a token from before the time `tokensValidAfter`. A token with exactly this value is from a login
 * that read it, so it is valid. Any other token must be more than `CLOCK_SKEW_SECONDS` newer than this time, because
 * clocks may differ by as much.
 */
function isRevoked({ tokensValidAfter }: GuardedMembers, { iat, valid_after: readAtLogin }: TokenClaims): boolean {
  const validAfter = tokensValidAfter?.getTime();
  if (validAfter === undefined || validAfter === readAtLogin) return false;
  return !(iat * 1000 - validAfter > CLOCK_SKEW_SECONDS * 1000);
}
