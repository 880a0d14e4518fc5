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

type Claims = Readonly<Record<string, unknown>>;

/** A rule on a claim that knows no time, and what a token that breaks it is told of in the host's logs. */
const SHAPE_RULES: readonly (readonly [problem: string, holds: (claims: Claims, rules: ClaimRules) => boolean])[] = [
  ['its iss is not the issuer of these tokens', ({ iss }, { issuer }) => iss === issuer],
  ['its aud is not the audience of these tokens', ({ aud }, { audience }) => isAudience(aud, audience)],
  ['its sub is no non-empty string', ({ sub }) => isFilledString(sub)],
  ['its referencl is no non-empty string', ({ referencl }) => isFilledString(referencl)],
  ['its iat is no finite number', ({ iat }) => Number.isFinite(iat)],
  ['its exp is no finite number', ({ exp }) => Number.isFinite(exp)],
  ['its nbf is no finite number', ({ nbf }) => nbf === undefined || Number.isFinite(nbf)],
];

/** What keeps a value that a signature vouches for from being our claims, whatever the time; else `undefined`. */
export function claimsProblem(payload: unknown, rules: ClaimRules): string | undefined {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return 'its payload is no object';
  return SHAPE_RULES.find(([, holds]) => !holds(payload as Claims, rules))?.[0];
}

/** RFC 7519 section 4.1.3: a token that names an audience is refused by whoever is not it, so also by who has no name. */
function isAudience(aud: unknown, own: string | undefined): boolean {
  if (aud === undefined || own === undefined) return aud === own;
  return Array.isArray(aud) ? aud.includes(own) : aud === own;
}

/**
 * The rules on times: how long, from when, until when.
 * @param now seconds since the epoch
 * @returns `invalid_token` or `expired_token` for a token that breaks one
 */
export function timesError({ iat, exp, nbf }: TokenClaims, now: number, realm: string): AuthError | undefined {
  if (!(exp - iat <= TOKEN_LIFETIME_SECONDS)) return invalidToken(realm, 'it lives too long');
  const latest = now + CLOCK_SKEW_SECONDS;
  // Written so that a clock that gives no number refuses everything.
  if (!(iat <= latest && (nbf === undefined || nbf <= latest))) return invalidToken(realm, 'it is not valid yet');
  return now >= exp ? new AuthError('expired_token', { realm }) : undefined;
}

/** A token that is refused for good; the reason is for the host's logs, the caller is told none. */
export function invalidToken(realm: string, reason: string, cause?: unknown): AuthError {
  return new AuthError('invalid_token', { realm, detail: `The token is not valid: ${reason}.`, cause });
}
