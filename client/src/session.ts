import type { ClientConfig } from './client-options.js';
import { logIn, pauseAfter } from './login.js';
import { callCache, type CachedToken, isBearerToken } from './token-cache.js';
import { singleFlight } from './waiting.js';

/** The lifetime of a token (docs/interface.md 5.4), and how long before its end it is renewed, because a request takes time. */
const LIFETIME_MS = 18_000_000;
const RENEWAL_MARGIN_MS = 60_000;

/**
 * Holds the token of one client. All callers that need a new token share one login. Times in memory are those of
 * `performance`, which does not jump with the clock of the system. The 401 of the service corrects all else.
 */
export function createSession(config: ClientConfig) {
  const { baseUrl, email, tokenCache } = config;
  /** The last token. It is kept after its end, so that it is not taken from the cache again. */
  let held: CachedToken | undefined;
  let renewAt = 0;
  /** True after a 401 and after `forget`, because tokens in the cache can have ended together with this one. */
  let isRefused = false;
  /** The last time when the token arrived, worked or was forgotten. */
  let aliveAt = 0;
  /** The error of the last login, and the end of the time in which the next one would fail too. */
  let refusal: { error?: unknown; endsAt: number } = { endsAt: 0 };

  const fresh = () => (performance.now() < renewAt ? held : undefined);

  function hold(token: CachedToken, restMs: number): CachedToken {
    aliveAt = performance.now();
    renewAt = aliveAt + restMs - RENEWAL_MARGIN_MS;
    isRefused = false;
    return (held = token);
  }

  /** Takes an entry of the cache that is of this account and can be used. Its end is by the clock of its writer. */
  function adopt(entry: CachedToken): CachedToken | undefined {
    const isOwn = entry.baseUrl === baseUrl && entry.email === email && typeof entry.referencl === 'string';
    const restMs = entry.expiresAt - Date.now();
    const ageMs = LIFETIME_MS - restMs;
    // An older entry can have ended too, and one from the future is of a clock that is ahead, so that it has any age.
    const isNewer = ageMs >= 0 && ageMs < Math.min(performance.now() - aliveAt, 60_000);
    const isUsable = isOwn && restMs > RENEWAL_MARGIN_MS && (isNewer || !isRefused) && entry.token !== held?.token;
    return isUsable && isBearerToken(entry.token) ? hold(entry, Math.min(restMs, LIFETIME_MS)) : undefined;
  }

  const login = singleFlight(async () => {
    // `forget` replaces it, so that a login which began before leaves no refusal behind.
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
    /** Resolves to a token from memory, from the cache or from a login, or rejects with the error of the login. */
    current: async () => fresh() ?? renew(),
    logIn: async () => (await login()).success,
    /** Records the answer to a request with this token. */
    answered: ({ token }: CachedToken, { status }: Response): void => {
      if (held?.token !== token) return;
      if (status === 401) [isRefused, renewAt] = [true, 0];
      else aliveAt = performance.now();
    },
    /** Forgets a refused login and the token in memory. Tokens in the cache that are not newer are then ignored too. */
    forget: (): void => {
      [isRefused, renewAt, aliveAt, refusal] = [true, 0, performance.now(), { endsAt: 0 }];
    },
  };
}
