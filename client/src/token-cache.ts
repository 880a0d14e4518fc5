import { isBearerToken } from './bearer-token.js';
import { settleWithin } from './waiting.js';

/** Limits a call of the cache, in milliseconds. Clients of a cache often queue calls for ever while it is down. */
const CACHE_TIMEOUT_MS = 1_000;

/** The entry of the cache: a plain object that survives JSON. It is a secret until it expires. */
export interface CachedToken {
  /** The base address of the service. The client ignores a token of another service. */
  readonly baseUrl: string;
  /** The email that logged in. The client ignores a token of another account. */
  readonly email: string;
  /** The JWT (docs/interface.md 2.2.1). */
  readonly token: string;
  /** The merchant's reference (docs/interface.md 2.2.3). */
  readonly referencl: string;
  /** The end of the token, in milliseconds since the epoch on the server's clock. */
  readonly expiresAt: number;
}

/**
 * Shares the token of one account among processes. The client keeps its token in memory too. It calls `get` only when
 * that token is missing, refused or about to expire. A call that throws, rejects or takes longer than a second counts
 * as a miss. After a 401, the client only takes an entry that was issued after the refused token last worked. Older
 * tokens can have ended together with it.
 */
export interface TokenCache {
  /** Returns the last object that `set` stored. `null` and `undefined` are a miss. */
  get(): CachedToken | null | undefined | Promise<CachedToken | null | undefined>;
  /** Stores the object after each login. The client waits for a promise, and ignores its value. */
  set(entry: CachedToken): unknown;
}

/** Resolves to the entry of this account, or to `undefined` for anything else. */
export async function readCache(
  cache: TokenCache,
  account: Pick<CachedToken, 'baseUrl' | 'email'>,
): Promise<CachedToken | undefined> {
  const entry = await settleWithin(CACHE_TIMEOUT_MS, () => cache.get());
  const isOwn = entry?.baseUrl === account.baseUrl && entry.email === account.email;
  return isOwn && isBearerToken(entry.token) && typeof entry.referencl === 'string' ? entry : undefined;
}

/** Stores an entry. It never rejects, because the token works without the cache. */
export async function writeCache(cache: TokenCache, entry: CachedToken): Promise<void> {
  await settleWithin(CACHE_TIMEOUT_MS, () => cache.set(entry));
}
