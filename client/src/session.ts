import type { ClientConfig } from './client-options.js';
import { logIn, pauseAfter } from './login.js';
import { callCache, type CachedToken, isBearerToken } from './token-cache.js';
import { singleFlight } from './waiting.js';

/** The lifetime of a token (docs/interface.md 5.4). The margin is for the time of a request. */
const LIFETIME_MS = 18_000_000;
const RENEWAL_MARGIN_MS = 60_000;

/**
 * Callers that need a new token share one login. Times in memory are of `performance`: it does not jump with the
 * system's clock.
 */
export function createSession(config: ClientConfig) {
  const { baseUrl, email, tokenCache } = config;
  /** Kept after its end: it must not be taken from the cache again. */
  let held: CachedToken | undefined;
  let renewAt = 0;
  /** After a 401 or `forget`: tokens in the cache can have ended with this one. */
  let isRefused = false;
  /** When the token last arrived, worked or was forgotten. */
  let aliveAt = 0;
  /** The error of the last login. Until `endsAt`, another one would fail too. */
  let refusal: { error?: unknown; endsAt: number } = { endsAt: 0 };

  const fresh = () => (performance.now() < renewAt ? held : undefined);

  function hold(token: CachedToken, restMs: number): CachedToken {
    aliveAt = performance.now();
    renewAt = aliveAt + restMs - RENEWAL_MARGIN_MS;
    isRefused = false;
    return (held = token);
  }

  /** `expiresAt` is by the clock of its writer. */
  function adopt(entry: CachedToken): CachedToken | undefined {
    const isOwn = entry.baseUrl === baseUrl && entry.email === email && typeof entry.referencl === 'string';
    const restMs = entry.expiresAt - Date.now();
    const ageMs = LIFETIME_MS - restMs;
    // An older entry can have ended too. One from the future is of a clock that is ahead, and can have any age.
    const isNewer = ageMs >= 0 && ageMs < Math.min(performance.now() - aliveAt, 60_000);
    const isUsable = isOwn && restMs > RENEWAL_MARGIN_MS && (isNewer || !isRefused) && entry.token !== held?.token;
    return isUsable && isBearerToken(entry.token) ? hold(entry, Math.min(restMs, LIFETIME_MS)) : undefined;
  }

  const login = singleFlight(async () => {
    // `forget` replaces it: a login that began before must leave no refusal behind.
    const own = (refusal = { endsAt: 0 });
    const success = await logIn(config).catch((error: unknown) => {
      Object.assign(own, { error, endsAt: performance.now() + pauseAfter(error) });
      throw error;
    });
    const { token } = success.authorisation;
    const { referencl } = success.marchand;
    const entry = hold({ baseUrl, email, token, referencl, expiresAt: Date.now() + LIFETIME_MS }, LIFETIME_MS);
    await callCache(() => tokenCache.set(entry));
    return { success, entry };
  });

  const renew = singleFlight(async () => {
    const cached = await callCache(() => tokenCache.get());
    // `login` may have ended in the meantime.
    const usable = fresh() ?? (cached && adopt(cached));
    if (usable) return usable;
    if (performance.now() < refusal.endsAt) throw refusal.error;
    return (await login()).entry;
  });

  return {
    current: async () => fresh() ?? renew(),
    logIn: async () => (await login()).success,
    answered: ({ token }: CachedToken, { status }: Response): void => {
      if (held?.token !== token) return;
      if (status === 401) [isRefused, renewAt] = [true, 0];
      else aliveAt = performance.now();
    },
    /** Forgets a refused login too. Tokens in the cache are ignored unless they are newer. */
    forget: (): void => {
      [isRefused, renewAt, aliveAt, refusal] = [true, 0, performance.now(), { endsAt: 0 }];
    },
  };
}
