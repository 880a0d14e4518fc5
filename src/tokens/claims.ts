import { AuthError } from '../errors/auth-error.js';
import { isFilledString } from '../store/check-account.js';

/** How long a token is valid, in seconds: five hours (SPEC.md 5.4 and 8). */
export const TOKEN_LIFETIME_SECONDS = 18_000;

/** How far another machine's clock may be ahead of ours, in seconds. Expiry has no such tolerance. */
export const CLOCK_SKEW_SECONDS = 60;

/** What a token says, checked and deeply frozen. Further members are what its issuer added. */
export interface TokenClaims {
  /** Issuer (RFC 7519 section 4.1.1). */
  readonly iss: string;
  /** Audience (4.1.3), when one is configured. */
  readonly aud?: string | readonly string[];
  /** The account's id (4.1.2). */
  readonly sub: string;
  /** Issued at (4.1.6), in seconds since the epoch. */
  readonly iat: number;
  /** Expires at (4.1.4), in seconds since the epoch: at most 18,000 after `iat`. */
  readonly exp: number;
  /** Not before (4.1.5), in seconds since the epoch. */
  readonly nbf?: number;
  /** The token's own id (4.1.7). */
  readonly jti?: string;
  /** The merchant reference that the account had at login. */
  readonly referencl: string;
  readonly [claim: string]: unknown;
}

/** What the claims are held against. */
export interface ClaimRules {
  readonly issuer: string;
  readonly audience: string | undefined;
}

/** Whether a value that a signature vouches for has the shape of our claims, whatever the time. */
export function hasClaimsShape(payload: unknown, rules: ClaimRules): payload is TokenClaims {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return false;
  const { iss, aud, sub, iat, exp, nbf, referencl } = payload as Record<string, unknown>;
  return (
    iss === rules.issuer &&
    isAudience(aud, rules.audience) &&
    isFilledString(sub) &&
    isFilledString(referencl) &&
    Number.isFinite(iat) &&
    Number.isFinite(exp) &&
    (nbf === undefined || Number.isFinite(nbf)) &&
    (exp as number) - (iat as number) <= TOKEN_LIFETIME_SECONDS
  );
}

/** RFC 7519 section 4.1.3: a token that names an audience is refused by whoever is not it, so also by who has no name. */
function isAudience(aud: unknown, own: string | undefined): boolean {
  if (aud === undefined || own === undefined) return aud === own;
  return Array.isArray(aud) ? aud.includes(own) : aud === own;
}

/**
 * The rules that depend on the time.
 * @param now seconds since the epoch
 * @throws AuthError `invalid_token` or `expired_token`
 */
export function checkTimes({ iat, exp, nbf }: TokenClaims, now: number, realm: string): void {
  const latest = now + CLOCK_SKEW_SECONDS;
  // Written so that a clock that gives no number refuses everything.
  if (!(iat <= latest && (nbf === undefined || nbf <= latest))) throw new AuthError('invalid_token', { realm });
  if (now >= exp) throw new AuthError('expired_token', { realm });
}
