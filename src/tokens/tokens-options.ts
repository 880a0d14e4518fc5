import { DEFAULT_REALM } from '../errors/auth-error.js';
import { asGiven, callback, type OptionParsers, parseOptions, wholeNumber } from '../options/parse-options.js';
import { isFilledString } from '../store/check-account.js';
import { type Key, type KeyConfig, keyOfSecret, keyRing } from './keys.js';
import type { TokenRules } from './rules.js';
import { type SecretInput, secretOfEnvironment } from './secrets.js';
import { DEFAULT_TOKEN_CACHE_SIZE } from './token-cache.js';

export interface TokensOptions {
  /**
   * The secret of HS256, at least 32 bytes. Default: the environment variable `JWT_SECRET`. Every process of a service
   * has the same one.
   */
  readonly secret?: SecretInput;
  /** A key ring instead of a secret: the first key signs, all verify, each with its one algorithm. */
  readonly keys?: readonly KeyConfig[];
  /**
   * Names the group of accounts. Default `merchant`. Two realms refuse each other's tokens, also with the same secret,
   * unless both are given the same `issuer`.
   */
  readonly realm?: string;
  /** The `iss` of issued tokens, and the only one that is accepted. Default `express-merchant-auth/<realm>`. */
  readonly issuer?: string;
  /** The `aud` of issued tokens, which tokens must then have. Default: none, and a token that has an `aud` is refused. */
  readonly audience?: string;
  /** Returns the time in milliseconds since the epoch. Default `Date.now`; for tests. */
  readonly clock?: () => number;
  /**
   * The number of verified tokens that are cached. The signature of a cached token is not verified again; times and account
   * are checked each time. Default 10,000, for as many merchants' servers that send one token for hours; 0 caches none.
   */
  readonly tokenCacheSize?: number;
}

/** The characters of a quoted string of RFC 9110 section 5.6.4 that need no escape. */
const REALM = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/;

const OPTIONS = {
  secret: asGiven<TokensOptions['secret']>,
  keys: asGiven<TokensOptions['keys']>,
  realm(where, value: unknown = DEFAULT_REALM) {
    if (typeof value === 'string' && REALM.test(value)) return value;
    throw new TypeError(`${where} must be visible ASCII without quotes and backslashes.`);
  },
  issuer: filledString,
  audience: filledString,
  clock: callback(() => Date.now()),
  // A larger cache only costs memory: a hundred times the default is 0.7 GB.
  tokenCacheSize: wholeNumber({ least: 0, most: 1_000_000, otherwise: DEFAULT_TOKEN_CACHE_SIZE }),
} satisfies OptionParsers<TokensOptions>;

function filledString(where: string, value: unknown): string | undefined {
  if (value === undefined || isFilledString(value)) return value;
  throw new TypeError(`${where} must be a non-empty string.`);
}

/** The options of `createTokens`, without optional members. */
export interface TokensConfig extends TokenRules {
  readonly ring: ReadonlyMap<string, Key>;
  readonly clock: () => number;
  readonly tokenCacheSize: number;
}

/** @throws TypeError for a missing or weak secret, a key that does not fit its algorithm, or an unknown option */
export function parseTokensOptions(options: TokensOptions): TokensConfig {
  const { secret, keys, ...config } = parseOptions('createTokens', options, OPTIONS);
  if (secret !== undefined && keys !== undefined) throw new TypeError('createTokens: give either secret or keys.');
  const { issuer = `express-merchant-auth/${config.realm}` } = config;
  return {
    ...config,
    issuer,
    ring: keys === undefined ? ringOfSecret(secret) : keyRing(keys),
  };
}

function ringOfSecret(secret: SecretInput = secretOfEnvironment()): ReadonlyMap<string, Key> {
  const key = keyOfSecret(secret);
  return new Map([[key.kid, key]]);
}
