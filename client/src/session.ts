import type { ClientConfig } from './client-options.js';
import { logIn, type LoginSuccess, secondsRefused } from './login.js';
import { createServerClock } from './server-clock.js';
import { type CachedToken, readCache, writeCache } from './token-cache.js';
import { singleFlight } from './waiting.js';

/** The lifetime of a token (docs/interface.md 5.4). */
const TOKEN_LIFETIME_MS = 18_000_000;

/**
 * Renews a token this long before its end, in milliseconds. A `Date` header has whole seconds, and a request takes
 * time.
 */
const RENEWAL_MARGIN_MS = 60_000;

/** Holds the token of one client. All callers that need a new token share one login. */
export interface Session {
  /**
   * Resolves to a token that is valid for at least a minute. It is from memory, from the cache or from a login. In the
   * last minute of a token, callers wait for a login, as they do after its end.
   * @throws MerchantApiError when the login failed. All callers of this login get it, and later callers while another
   *   login would fail too
   */
  current(): Promise<CachedToken>;
  /** Logs in, or joins the login that is in progress. */
  logIn(): Promise<LoginSuccess>;
  /** Records the answer to a request with this token. */
  answered(token: CachedToken, answer: Response): void;
  /** Forgets the token in memory and a refused login. Tokens in the cache that are not newer are then ignored too. */
  forget(): void;
}

export function createSession(config: ClientConfig): Session {
  const { tokenCache } = config;
  const serverClock = createServerClock();
  let held: CachedToken | undefined;
  /** The last time when the service accepted the token in memory. */
  let workedAt = 0;
  /**
   * Tokens in the cache that were issued at or before this time are ignored. After a 401, it is the time when the
   * service last accepted the refused token. The rotation or revocation that ended that token may also have ended these.
   */
  let droppedUntil = 0;

  /** The number of calls of `forget`. A login that began before the last of them was refused for an older reason. */
  let forgets = 0;
  /** The error of a refused login, and its end. The clock of `performance` does not jump with that of the system. */
  let refusal: { readonly error: unknown; readonly endsAt: number } | undefined;

  const isFresh = (token: CachedToken) => serverClock.now() < token.expiresAt - RENEWAL_MARGIN_MS;

  function hold(token: CachedToken): CachedToken {
    workedAt = issuedAt(token);
    held = token;
    return token;
  }

  function dropTokensUntil(until: number): void {
    droppedUntil = until;
    held = undefined;
  }

  const login = singleFlight(async () => {
    refusal = undefined;
    const before = forgets;
    const success = await logIn(config, serverClock).catch((error: unknown) => {
      if (forgets === before) refusal = { error, endsAt: performance.now() + secondsRefused(error) * 1000 };
      throw error;
    });
    const token = hold({
      baseUrl: config.baseUrl,
      email: config.email,
      token: success.authorisation.token,
      referencl: success.marchand.referencl,
      expiresAt: serverClock.now() + TOKEN_LIFETIME_MS,
    });
    await writeCache(tokenCache, token);
    return { success, token };
  });

  const renew = singleFlight(async () => {
    const cached = await readCache(tokenCache, config);
    if (cached && isFresh(cached) && issuedAt(cached) > droppedUntil) return hold(cached);
    if (refusal && performance.now() < refusal.endsAt) throw refusal.error;
    return (await login()).token;
  });

  return {
    current: async () => (held && isFresh(held) ? held : renew()),
    logIn: async () => (await login()).success,
    answered(token, answer) {
      serverClock.learn(answer);
      if (held?.token !== token.token) return;
      if (answer.status === 401) dropTokensUntil(workedAt);
      else workedAt = Math.max(workedAt, serverClock.now());
    },
    forget() {
      dropTokensUntil(serverClock.now());
      forgets++;
      refusal = undefined;
    },
  };
}

function issuedAt({ expiresAt }: CachedToken): number {
  return expiresAt - TOKEN_LIFETIME_MS;
}
