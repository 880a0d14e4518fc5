import { isUtf8 } from 'node:buffer';
import { AuthError } from '../errors/auth-error.js';
import { isFilledString } from '../base/check-options.js';

/** Five hours (docs/interface.md 5.4 and 8). */
export const TOKEN_LIFETIME_SECONDS = 18_000;

/** Machines' clocks differ: times may be this far ahead. Expiry has no tolerance. */
export const CLOCK_SKEW_SECONDS = 60;

/** The claims of a verified token, deeply frozen. Tokens of another issuer can have further members. */
export interface TokenClaims {
  /** The issuer (RFC 7519 section 4.1.1). */
  readonly iss: string;
  /** The audience (RFC 7519 section 4.1.3). Present when one is configured. */
  readonly aud?: string | readonly string[];
  /** The account's id (RFC 7519 section 4.1.2). */
  readonly sub: string;
  /** The time of issue (RFC 7519 section 4.1.6), in seconds since the epoch. */
  readonly iat: number;
  /** The end (RFC 7519 section 4.1.4), in seconds since the epoch, at most 18,000 after `iat`. */
  readonly exp: number;
  /** The start (RFC 7519 section 4.1.5), in seconds since the epoch. */
  readonly nbf?: number;
  /** The token's id (RFC 7519 section 4.1.7). */
  readonly jti?: string;
  /** The account's merchant reference at login. */
  readonly referencl: string;
  /** The account's `tokensValidAfter` at login, in milliseconds since the epoch. Absent if it had none. */
  readonly valid_after?: number;
  readonly [claim: string]: unknown;
}

export interface TokenRules {
  readonly realm: string;
  readonly issuer: string;
  readonly audience: string | undefined;
}

type Claims = Readonly<Record<string, unknown>>;

/**
 * Refuses two faults that passport-jwt accepts. Runs after the signature check: a caller without a key learns nothing.
 * @throws AuthError `invalid_token`
 */
export function checkEncoding(token: string, { realm }: TokenRules): void {
  const parts = token.split('.');
  if (!parts.every(isCanonicalBase64url)) throw invalidToken(realm, 'it is not canonical base64url');
  if (!isUtf8(Buffer.from(parts[1] ?? '', 'base64url'))) throw invalidToken(realm, 'it is not UTF-8');
}

/** Decoders ignore unused bits of the last character: several texts give the same bytes. */
function isCanonicalBase64url(part: string): boolean {
  return Buffer.from(part, 'base64url').toString('base64url') === part;
}

/** The rules that do not depend on the time, with sentences for the host's logs. */
const CLAIM_RULES: readonly (readonly [problem: string, holds: (claims: Claims, rules: TokenRules) => boolean])[] = [
  ['its iss is not the issuer of these tokens', ({ iss }, { issuer }) => iss === issuer],
  ['its aud is not the audience of these tokens', ({ aud }, { audience }) => isAudience(aud, audience)],
  ['its sub is not a non-empty string', ({ sub }) => isFilledString(sub)],
  ['its referencl is not a non-empty string', ({ referencl }) => isFilledString(referencl)],
  ['its iat is not a finite number', ({ iat }) => Number.isFinite(iat)],
  ['its exp is not a finite number', ({ exp }) => Number.isFinite(exp)],
  ['its nbf is not a finite number', ({ nbf }) => nbf === undefined || Number.isFinite(nbf)],
  ['its jti is not a string', ({ jti }) => jti === undefined || typeof jti === 'string'],
  [
    'its valid_after is not an integer',
    ({ valid_after: validAfter }) => validAfter === undefined || Number.isInteger(validAfter),
  ],
];

/** @throws AuthError `invalid_token` */
export function checkClaims(payload: unknown, rules: TokenRules): asserts payload is TokenClaims {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    throw invalidToken(rules.realm, 'its payload is not an object');
  }
  const broken = CLAIM_RULES.find(([, holds]) => !holds(payload as Claims, rules));
  if (broken !== undefined) throw invalidToken(rules.realm, broken[0]);
}

/** RFC 7519 section 4.1.3. Without a configured audience, a token must have no `aud`. */
function isAudience(aud: unknown, own: string | undefined): boolean {
  if (aud === undefined || own === undefined) return aud === own;
  return Array.isArray(aud) ? aud.includes(own) : aud === own;
}

/**
 * A `now` of NaN refuses every token.
 * @throws AuthError `invalid_token` or `expired_token`
 */
export function checkTimes({ iat, exp, nbf }: TokenClaims, now: number, { realm }: TokenRules): void {
  if (!(exp - iat <= TOKEN_LIFETIME_SECONDS)) throw invalidToken(realm, 'its lifetime is too long');
  const latest = now + CLOCK_SKEW_SECONDS;
  if (!(iat <= latest && (nbf === undefined || nbf <= latest))) throw invalidToken(realm, 'it is not valid yet');
  if (now >= exp) throw new AuthError('expired_token', { realm });
}

export function invalidToken(realm: string, reason: string, cause?: unknown): AuthError {
  return new AuthError('invalid_token', { realm, detail: `The token is not valid: ${reason}.`, cause });
}
