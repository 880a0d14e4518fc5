import { parseRealm } from './realm.js';
import { asGiven, callback, type OptionParsers, parseOptions, wholeNumber } from '../base/parse-options.js';
import { isFilledString } from '../base/check-options.js';
import { type Key, type KeyConfig, keyOfSecret, keyRing } from './keys.js';
import { requireSecretOfEnvironment, type SecretInput } from './secrets.js';
import { DEFAULT_TOKEN_CACHE_SIZE } from './claims-cache.js';

/** The options of `createTokens`. */
export interface TokensOptions {
  /**
   * The secret of HS256, at least 32 bytes, the same in every process of a service. Default: the environment variable
   * `JWT_SECRET`.
   */
  readonly secret?: SecretInput;
  /**
   * A key ring instead of a secret: keys can be replaced without refused tokens. The first key signs, all verify.
   */
  readonly keys?: readonly KeyConfig[];
  /**
   * Names a group of accounts, for example `sandbox`, in the challenge, the default `issuer` and the throttle's keys.
   * Realms with one secret refuse each other's tokens, unless both have the same `issuer`. Default `merchant`.
   */
  readonly realm?: string;
  /** The `iss` of tokens. A token with another is refused. Default `express-merchant-auth/<realm>`. */
  readonly issuer?: string;
  /**
   * The `aud` of tokens. A token without it is refused. Default: none, and a token with an `aud` is refused, because it is
   * for another service.
   */
  readonly audience?: string;
  /** Returns milliseconds since the epoch. A test can set it. Default `Date.now`. */
  readonly clock?: () => number;
  /**
   * The number of verified tokens that are cached, 0 for none. The signature of a cached token is not verified again. Times and
   * account are checked on every request. Default 10,000, for as many servers with one token each.
   */
  readonly tokenCacheSize?: number;
}

const OPTIONS = {
  secret: asGiven<TokensOptions['secret']>,
  keys: asGiven<TokensOptions['keys']>,
  realm: parseRealm,
  issuer: filledString,
  audience: filledString,
  clock: callback(() => Date.now()),
  // A hundred times the default takes 0.7 GB of memory.
  tokenCacheSize: wholeNumber({ least: 0, most: 1_000_000, fallback: DEFAULT_TOKEN_CACHE_SIZE }),
} satisfies OptionParsers<TokensOptions>;

function filledString(where: string, value: unknown): string | undefined {
  if (value === undefined || isFilledString(value)) return value;
  throw new TypeError(`${where} must be a non-empty string.`);
}

export type TokensConfig = ReturnType<typeof parseTokensOptions>;

export function parseTokensOptions(options: TokensOptions) {
  const { secret, keys, ...config } = parseOptions('createTokens', options, OPTIONS);
  if (secret !== undefined && keys !== undefined) throw new TypeError('createTokens: give either secret or keys.');
  const isUndefined = secret === undefined && keys === undefined && ('secret' in options || 'keys' in options);
  if (isUndefined) {
    // First the error of a missing JWT_SECRET: leaving both out would not help then.
    requireSecretOfEnvironment();
    throw new TypeError('createTokens: secret or keys is undefined. Leave both out for the secret in JWT_SECRET.');
  }
  const { issuer = `express-merchant-auth/${config.realm}` } = config;
  return { ...config, issuer, ring: keys === undefined ? ringOfSecret(secret) : keyRing(keys) };
}

function ringOfSecret(secret: SecretInput = requireSecretOfEnvironment()): ReadonlyMap<string, Key> {
  const key = keyOfSecret(secret);
  return new Map([[key.kid, key]]);
}
