import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { Strategy as JwtStrategy } from 'passport-jwt';
import { AuthError, DEFAULT_REALM } from '../errors/auth-error.js';
import { limitStackTraces } from '../errors/stack-traces.js';
import { checkFunction, checkInteger, checkMethods, checkOptions, type OptionNames } from '../options.js';
import { isFilledString, malformedAccount } from '../store/check-account.js';
import type { MerchantAccount } from '../store/user-store.js';
import type { Algorithm } from './algorithms.js';
import {
  CLOCK_SKEW_SECONDS,
  claimsProblem,
  invalidToken,
  timesError,
  TOKEN_LIFETIME_SECONDS,
  type TokenClaims,
} from './claims.js';
import { type Judge, judges } from './judge.js';
import { type Key, type KeyConfig, keyOfSecret, keyRing, secretOfEnvironment, type SecretInput } from './keys.js';
import { currentSigningKey, signClaims, type SigningKey } from './signing.js';
import { DEFAULT_REMEMBERED_TOKENS, VerifiedTokens } from './verified-tokens.js';

/** Issues and verifies the bearer tokens of one realm. */
export interface Tokens {
  /** The realm of the challenges that belong to these tokens. */
  readonly realm: string;
  /** Whether `issue` works: the first key is a secret or has its private half. */
  readonly canSign: boolean;
  /** The time by this instance's clock, in milliseconds since the epoch. */
  now(): number;
  /**
   * Makes the token of an account, valid for 18,000 seconds.
   * @param readAt when the account was read, in milliseconds since the epoch; the token counts from then, so that a
   *   `tokensValidAfter` set since revokes it too. Default now.
   * @throws AuthError `malformed_account` when its `tokensValidAfter` is more than 60 s ahead
   * @throws TypeError when no key can sign, or the clock gives no time
   */
  issue(account: Pick<MerchantAccount, 'id' | 'marchand' | 'tokensValidAfter'>, readAt?: number): string;
  /**
   * Checks everything that can be known of a token without the account.
   * @returns the claims, deeply frozen
   * @throws AuthError `invalid_token` or `expired_token`
   */
  verify(token: string): TokenClaims;
  /**
   * Takes another ring at once; tokens whose `kid` is not in it are refused from then on.
   * @throws TypeError as `createTokens` does, and then keeps the ring that it has
   */
  replaceKeys(keys: readonly KeyConfig[]): void;
}

export interface TokensOptions {
  /**
   * The secret of HS256, at least 32 bytes. Default: the environment variable `JWT_SECRET`. Every process of a service
   * has the same one.
   */
  readonly secret?: SecretInput;
  /** A key ring instead of a secret: the first key signs, all verify, each with its one algorithm. */
  readonly keys?: readonly KeyConfig[];
  /**
   * Names the group of accounts. Default `merchant`. Two realms refuse each other's tokens, with the same secret too, as
   * long as they are not given one `issuer`.
   */
  readonly realm?: string;
  /** The `iss` of tokens issued, the only one accepted. Default `express-merchant-auth/<realm>`. */
  readonly issuer?: string;
  /** The `aud` of tokens issued, which tokens must then name. Default: none, and tokens that name one are refused. */
  readonly audience?: string;
  /** The time in milliseconds since the epoch. Default `Date.now`; for tests. */
  readonly clock?: () => number;
  /**
   * How many verified tokens are remembered, whose signature is then not verified again; times and account are checked
   * each time. Default 10,000, for as many merchants' servers that send one token for hours; 0 to remember none.
   */
  readonly rememberedTokens?: number;
}

const OPTIONS: OptionNames<TokensOptions> = {
  secret: true,
  keys: true,
  realm: true,
  issuer: true,
  audience: true,
  clock: true,
  rememberedTokens: true,
};

/** RFC 7515 section 7.1, and nothing around it. */
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** RFC 9068 section 2.1: with or without the prefix that RFC 7515 section 4.1.9 lets a token leave out. */
const ACCESS_TOKEN_TYPE = /^(?:application\/)?at\+jwt$/i;
/** What a quoted string of RFC 9110 section 5.6.4 can hold without escapes. */
const REALM = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/;

/** More would only be memory: a hundred times the default is 0.7 GB. */
const MAX_REMEMBERED_TOKENS = 1_000_000;

/** What the strategy is given in place of a request. */
interface Presented {
  readonly token: string;
  readonly key: Key;
}

/** A ring, the passport-jwt strategy over it, and what they verified. */
interface Verifier {
  readonly ring: ReadonlyMap<string, Key>;
  readonly signer: SigningKey | undefined;
  readonly strategy: JwtStrategy;
  readonly verified: VerifiedTokens;
  /** The last header that named its key well: all tokens that one key signs have the same, to the letter. */
  readonly accepted: { header?: string; key?: Key };
}

/**
 * Makes the issuer and verifier of tokens (RFC 7519, RFC 9068's `at+jwt`).
 * @throws TypeError for a missing or weak secret, a key that does not fit its algorithm, or an unknown option
 */
export function createTokens(options: TokensOptions = {}): Tokens {
  checkOptions('createTokens', options, OPTIONS);
  const {
    realm = DEFAULT_REALM,
    audience,
    clock = () => Date.now(),
    rememberedTokens = DEFAULT_REMEMBERED_TOKENS,
  } = options;
  if (typeof realm !== 'string' || !REALM.test(realm)) {
    throw new TypeError('createTokens: realm must be visible ASCII without quotes and backslashes.');
  }
  const issuer = options.issuer ?? `express-merchant-auth/${realm}`;
  if (!isFilledString(issuer)) throw new TypeError('createTokens: issuer must be a non-empty string.');
  if (audience !== undefined && !isFilledString(audience)) {
    throw new TypeError('createTokens: audience must be a non-empty string.');
  }
  checkFunction('createTokens: clock', clock);
  checkInteger('createTokens: rememberedTokens', rememberedTokens, 0, MAX_REMEMBERED_TOKENS);
  const rules = { issuer, audience };
  let verifier = createVerifier(initialRing(options), rememberedTokens);

  /** What a token says, whatever the time. */
  const read = (token: string): TokenClaims | AuthError => {
    const key = keyFor(token, verifier);
    if (typeof key === 'string') return invalidToken(realm, key);
    const payload = verifySignature(verifier.strategy, { token, key });
    if (payload instanceof Error) return invalidToken(realm, 'its signature does not verify', payload);
    const problem = spellingProblem(token) ?? claimsProblem(payload, rules);
    return problem === undefined ? deepFreeze(payload as TokenClaims) : invalidToken(realm, problem);
  };

  const judge: Judge = (token) => {
    const { verified } = verifier;
    const remembered = verified.get(token);
    const claims = remembered ?? read(token);
    if (claims instanceof AuthError) return claims;
    const error = timesError(claims, clock() / 1000, realm);
    if (error !== undefined) return error;
    if (remembered === undefined) verified.add(token, claims);
    return claims;
  };

  const tokens: Tokens = {
    realm,

    get canSign() {
      return verifier.signer !== undefined;
    },

    now: clock,

    issue(account, readAt = clock()) {
      const { signer } = verifier;
      if (signer === undefined) {
        throw new TypeError('createTokens: the first key cannot sign. Give its privateKey.');
      }
      const iat = issuedAt(account.tokensValidAfter, Math.floor(readAt / 1000));
      const claims = {
        iss: issuer,
        ...(audience !== undefined && { aud: audience }),
        sub: account.id,
        iat,
        exp: iat + TOKEN_LIFETIME_SECONDS,
        jti: randomUUID(),
        referencl: account.marchand.referencl,
      };
      return signClaims(signer, claims);
    },

    verify(token) {
      const verdict = judge(token);
      if (verdict instanceof AuthError) throw verdict;
      return verdict;
    },

    replaceKeys(keys) {
      verifier = createVerifier(keyRing(keys), rememberedTokens);
    },
  };
  // eslint-disable-next-line @typescript-eslint/unbound-method -- a key, not called
  judges.set(tokens.verify, judge);
  currentSigningKey.set(tokens, () => verifier.signer);
  return tokens;
}

/** @throws TypeError unless `value` is what `createTokens` makes. */
export function checkTokens(factory: string, value: unknown): asserts value is Tokens {
  checkMethods(`${factory}: tokens`, value, ['issue', 'verify'], 'Give what createTokens(...) returned.');
}

function initialRing(options: TokensOptions): ReadonlyMap<string, Key> {
  if (options.keys !== undefined) {
    if (options.secret !== undefined) throw new TypeError('createTokens: give either secret or keys.');
    return keyRing(options.keys);
  }
  const { secret = secretOfEnvironment() } = options;
  const key = keyOfSecret(secret);
  return new Map([[key.kid, key]]);
}

/**
 * `issuer` and `audience` are not among the strategy's options, nor are the times, since `claims.ts` has all rules on
 * claims and they need this instance's clock. `algorithms` stands beside `jsonWebTokenOptions`: within, it is dropped.
 */
function createVerifier(ring: ReadonlyMap<string, Key>, rememberedTokens: number): Verifier {
  const keys = [...ring.values()];
  const [first] = keys;
  const strategy = new JwtStrategy(
    {
      jwtFromRequest: (presented) => (presented as unknown as Presented).token,
      secretOrKeyProvider(presented, _token, done) {
        done(null, (presented as unknown as Presented).key.verifyingKey as never);
      },
      algorithms: [...new Set<Algorithm>(keys.map((key) => key.algorithm))],
      ignoreExpiration: true,
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way to pass ignoreNotBefore
      jsonWebTokenOptions: { ignoreNotBefore: true },
    },
    (payload: unknown, done) => {
      done(null, { payload });
    },
  );
  const signer = first?.signingKey && { ...first, signingKey: first.signingKey };
  return { ring, signer, strategy, verified: new VerifiedTokens(rememberedTokens), accepted: {} };
}

/** The key that a token's header names, or the rule on headers that it breaks. */
function keyFor(token: string, { ring, accepted }: Verifier): Key | string {
  if (typeof token !== 'string' || !COMPACT_JWS.test(token)) return 'it is no compact JWS';
  const header = token.slice(0, token.indexOf('.'));
  if (accepted.header === header && accepted.key !== undefined) return accepted.key;
  const key = keyOfHeader(Buffer.from(header, 'base64url'), ring);
  if (typeof key !== 'string') Object.assign(accepted, { header, key });
  return key;
}

function keyOfHeader(bytes: Buffer, ring: ReadonlyMap<string, Key>): Key | string {
  if (!isUtf8(bytes)) return 'it is not UTF-8';
  const header = parseObject(bytes.toString('utf8'));
  if (header === undefined) return 'its header is no JSON object';
  if ('crit' in header) return 'its header has crit';
  const { kid, typ, alg } = header;
  if (typeof typ !== 'string' || !ACCESS_TOKEN_TYPE.test(typ)) return 'its typ is not at+jwt';
  const key = typeof kid === 'string' ? ring.get(kid) : undefined;
  if (key === undefined) return 'its kid is of no key here, as when login and guard have other secrets';
  return key.algorithm === alg ? key : 'its alg is not that of its key';
}

/** What passport-jwt and its parts let pass. Looked for once the signature is good, since strangers need not know. */
function spellingProblem(token: string): string | undefined {
  const parts = token.split('.');
  if (!parts.every(isSpelledWell)) return 'it is not in base64url';
  const [, payload = ''] = parts;
  return isUtf8(Buffer.from(payload, 'base64url')) ? undefined : 'it is not UTF-8';
}

/** Whether base64url is the one spelling of its bytes (RFC 7515 section 2): decoders ignore the last one's spare bits. */
function isSpelledWell(part: string): boolean {
  const last = part.slice(-1);
  switch (part.length % 4) {
    case 0:
      return true;
    case 2:
      return 'AQgw'.includes(last);
    case 3:
      return 'AEIMQUYcgkosw048'.includes(last);
    default:
      return false;
  }
}

function parseObject(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Drives the strategy as passport's `authenticate` does, without its writes on the request: a copy for each call, since
 * the outcome is reported to the object itself, and calls that share it would be answered as each other.
 * @returns the payload, or the error with which the token was refused
 */
function verifySignature(strategy: JwtStrategy, presented: Presented): unknown {
  let outcome: unknown;
  const attempt = Object.create(strategy) as JwtStrategy;
  attempt.success = (verified) => {
    outcome = (verified as { payload: unknown }).payload;
  };
  attempt.fail = attempt.error = (reason: unknown) => {
    outcome = reason instanceof Error ? reason : new Error(String(reason));
  };
  // passport-jwt and jsonwebtoken make an error of each bad signature, of which nobody reads where it was made.
  const { stackTraceLimit } = Error;
  limitStackTraces(undefined);
  try {
    attempt.authenticate(presented as never);
  } finally {
    limitStackTraces(stackTraceLimit);
  }
  return outcome === undefined ? new Error('passport-jwt reported no outcome') : outcome;
}

/**
 * The `iat` of a new token: now, or just after `tokensValidAfter` where the database's clock is ahead of ours, so that a
 * login is not refused by the very instant that the password change set.
 */
function issuedAt(tokensValidAfter: Date | null | undefined, now: number): number {
  if (!Number.isFinite(now)) throw new TypeError('createTokens: clock gave no time in milliseconds.');
  const earliest = tokensValidAfter == null ? now : Math.ceil(tokensValidAfter.getTime() / 1000);
  if (!(earliest <= now + CLOCK_SKEW_SECONDS)) {
    throw malformedAccount(
      `The account's tokensValidAfter is more than ${CLOCK_SKEW_SECONDS} s in the future, so no token of it can be valid.`,
    );
  }
  return Math.max(now, earliest);
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}
