import { randomUUID } from 'node:crypto';
import { emit } from '../events/auth-event.js';
import { BRAND } from '../base/another-copy.js';
import { givenOptions } from '../base/check-options.js';
import { keyFor } from './header.js';
import { type JsonWebKeySet, jsonWebKeySet } from './jwks.js';
import { type KeyConfig, keyRing } from './keys.js';
import { createReadToken } from './passport-jwt.js';
import {
  checkClaims,
  checkEncoding,
  checkTimes,
  invalidToken,
  TOKEN_LIFETIME_SECONDS,
  type TokenClaims,
} from './rules.js';
import { signClaims, type SigningKey } from './signing.js';
import { problemBy, TOKEN_RULES, type TokenSubject } from './token-subject.js';
import { ClaimsCache } from './claims-cache.js';
import { parseTokensOptions, type TokensConfig, type TokensOptions } from './tokens-options.js';

/** Issues and verifies the bearer tokens of one realm. Made by `createTokens`. */
export class Tokens {
  /** @internal */
  static readonly [BRAND] = 'Tokens';

  readonly #config: TokensConfig;
  #verifier: ReturnType<typeof createVerifier>;

  /** @internal */
  constructor(config: TokensConfig) {
    this.#config = config;
    this.#verifier = createVerifier(config.ring, config);
  }

  /** The realm in challenges. */
  get realm(): string {
    return this.#config.realm;
  }

  /** @internal @throws TypeError when the first key only verifies */
  requireSigningKey(factoryName: string): SigningKey {
    const [first] = this.#verifier.ring.values();
    if (first?.signingKey !== undefined) return { ...first, signingKey: first.signingKey };
    throw new TypeError(`${factoryName}: the first key of these tokens cannot sign. Give its privateKey.`);
  }

  /**
   * Issues a token, valid for 18,000 seconds. Does not check if the account may log in.
   * @throws TypeError when the account breaks the contract of `MerchantAccount`, the first key cannot sign, or `clock`
   *   returns no time
   */
  issue(account: TokenSubject): string {
    const problem = problemBy(TOKEN_RULES, account);
    if (problem !== undefined) throw new TypeError(`tokens.issue was given ${problem}.`);
    return this.issueAt(this.now(), account);
  }

  /** @internal In whole seconds. @throws TypeError when `clock` returns no time */
  now(): number {
    const seconds = Math.floor(this.#config.clock() / 1000);
    if (!Number.isFinite(seconds)) throw new TypeError('createTokens: clock returned no time in milliseconds.');
    return seconds;
  }

  /** @internal Like `issue`, from a time of `now`. */
  issueAt(iat: number, account: TokenSubject): string {
    const { issuer, audience } = this.#config;
    const validAfter = account.tokensValidAfter?.getTime();
    return signClaims(this.requireSigningKey('createTokens'), {
      iss: issuer,
      ...(audience !== undefined && { aud: audience }),
      sub: account.id,
      iat,
      exp: iat + TOKEN_LIFETIME_SECONDS,
      jti: randomUUID(),
      referencl: account.marchand.referencl,
      ...(validAfter !== undefined && { valid_after: validAfter }),
    });
  }

  /**
   * Verifies signature, header, claims and times, and does not read the account.
   * @returns the claims, deeply frozen
   * @throws AuthError `invalid_token` or `expired_token`
   */
  verify(token: string): TokenClaims {
    const claims = this.#verifier.cache?.get(token) ?? this.#read(token);
    checkTimes(claims, this.#config.clock() / 1000, this.#config);
    return claims;
  }

  /**
   * Replaces the key ring at once, and reports `keys_replaced`. Tokens whose `kid` is not in the new ring are refused.
   * @throws TypeError for keys that `createTokens` rejects. The old ring then stays
   */
  replaceKeys(keys: readonly KeyConfig[]): void {
    const before = [...this.#verifier.ring.keys()];
    this.#verifier = createVerifier(keyRing(keys), this.#config);
    const after = [...this.#verifier.ring.keys()];
    emit(() => ({ type: 'keys_replaced', realm: this.realm, source: undefined, before, after }));
  }

  /**
   * Returns the ring's public keys, in their order, as a JSON Web Key Set (RFC 7517 section 5). Secrets are left out: a
   * plain `secret` gives `{ keys: [] }`.
   *
   * Another service that verifies tokens with them must check `alg`, `typ` (`at+jwt`, RFC 9068 section 4), `iss`, `aud`,
   * `exp` and `nbf`. It cannot see that an account was disabled, deleted or logged out everywhere.
   *
   * @returns a new object each time, which the caller may change. After `replaceKeys` it has the new keys
   */
  jwks(): JsonWebKeySet {
    return jsonWebKeySet(this.#verifier.ring);
  }

  #read(token: string): TokenClaims {
    const { readToken, cache } = this.#verifier;
    const claims = readToken(token, (cause) => invalidToken(this.realm, 'its signature is not valid', cause));
    cache?.set(token, claims);
    return claims;
  }
}

/**
 * Makes the object that issues and verifies tokens: JWTs (RFC 7519) of the type `at+jwt` (RFC 9068).
 * @throws TypeError for a missing or weak secret, a key that does not fit its algorithm, or an unknown option
 */
export function createTokens(options?: TokensOptions): Tokens;
export function createTokens(...args: [options?: TokensOptions]): Tokens {
  return new Tokens(parseTokensOptions(givenOptions('createTokens', args)));
}

/** All that depends on a key ring. */
function createVerifier(ring: TokensConfig['ring'], config: TokensConfig) {
  const { tokenCacheSize } = config;
  const readToken = createReadToken({
    algorithms: [...new Set([...ring.values()].map((key) => key.algorithm))],
    keyOf: (token) => keyFor(token, ring, config),
    claimsOf(payload, token) {
      checkEncoding(token, config);
      checkClaims(payload, config);
      return deepFreeze(payload);
    },
  });
  return { ring, readToken, cache: tokenCacheSize > 0 ? new ClaimsCache(tokenCacheSize) : undefined };
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}
