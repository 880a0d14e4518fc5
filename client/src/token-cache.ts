import { startTimeout, unlessAborted } from './waiting.js';

/** The entry of the cache: a plain object that survives JSON. It is a secret until it expires. */
export interface CachedToken {
  /** The client ignores a token of another service. */
  readonly baseUrl: string;
  /** The client ignores a token of another account. */
  readonly email: string;
  /** The JWT (docs/interface.md 2.2.1). */
  readonly token: string;
  /** The merchant's reference (docs/interface.md 2.2.3). */
  readonly referencl: string;
  /** The end of the token, in milliseconds since the epoch, by the clock of the machine that logged in. */
  readonly expiresAt: number;
}

/**
 * Shares the token of one account among processes. The client calls `get` only when its token in memory is missing,
 * refused or about to expire. A call that throws, rejects or takes longer than a second counts as a miss. After a 401,
 * the client only takes an entry of the last minute that was issued after the refused token last worked: older ones can
 * be revoked too. Machines whose clocks differ log in more often.
 */
export interface TokenCache {
  /** Returns the last object that `set` stored. `null` and `undefined` are a miss. */
  get(): CachedToken | null | undefined | Promise<CachedToken | null | undefined>;
  /** Stores the object after each login. The client waits for a promise. */
  set(entry: CachedToken): unknown;
}

/** The form of RFC 6750 section 2.1. `Headers` would refuse another text with an error that quotes it. */
export function isBearerToken(value: unknown): value is string {
  return typeof value === 'string' && /^[\w.~+/-]+=*$/.test(value);
}

/** Resolves to `undefined` when the call throws, rejects or takes too long. */
export async function callCache<Value>(call: () => Value | Promise<Value>): Promise<Value | undefined> {
  const late = new AbortController();
  const stop = startTimeout(1_000, () => late.abort());
  const value = unlessAborted(late.signal, async () => await call());
  return value.catch(() => undefined).finally(stop);
}
