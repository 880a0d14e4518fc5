import type { ClientConfig } from './client-options.js';
import { errorWithout, MerchantApiError, parseBody, refuseRedirect, textOf } from './merchant-api-error.js';
import { readText } from './read-text.js';
import { request } from './request.js';
import { shownRefusal } from './shown-refusal.js';
import { isBearerToken } from './token-cache.js';

/** The longest `Retry-After` that a login waits for, and the longest time without another login. */
const LONGEST_WAIT_SECONDS = 30;
const LONGEST_PAUSE_SECONDS = 900;

/** The answer to a successful login (docs/interface.md 2.2). */
export interface LoginSuccess {
  readonly status: 'Success';
  readonly success: true;
  readonly code: 200;
  readonly message: 'Login success';
  readonly user: { readonly email: string; readonly phone: string };
  /** `referencl` is the `refercence_cl` of transactions. The host defines `statut`. */
  readonly marchand: { readonly referencl: string; readonly statut: number };
  readonly authorisation: { readonly token: string; readonly type: 'bearer' };
}

/** Waits once after a 429 or 503. */
export async function logIn(config: ClientConfig): Promise<LoginSuccess> {
  try {
    return await requestToken(config);
  } catch (error) {
    const seconds = secondsAskedFor(error) ?? Infinity;
    if (seconds > LONGEST_WAIT_SECONDS) throw error;
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    return requestToken(config);
  }
}

/** Returns the milliseconds in which another login would fail too. A 401 or 403 needs a person. */
export function pauseAfter(error: unknown): number {
  if (error instanceof MerchantApiError && [401, 403].includes(error.status)) return 60_000;
  // A caller's timer can fire early.
  return Math.min(secondsAskedFor(error) ?? 0, LONGEST_PAUSE_SECONDS) * 1000 - 50;
}

const secondsAskedFor = (error: unknown) =>
  error instanceof MerchantApiError && [429, 503].includes(error.status) ? error.retryAfterSeconds : undefined;

function requestToken(config: ClientConfig): Promise<LoginSuccess> {
  const { baseUrl, loginPath, email, password } = config;
  const headers = { 'Content-Type': 'application/json' };
  // A redirect must not get the password. Cloudflare Workers refuse `error`.
  const init: RequestInit = { method: 'POST', headers, body: JSON.stringify({ email, password }), redirect: 'manual' };
  return request(config, baseUrl + loginPath, init, async (answer) => {
    refuseRedirect(password, answer);
    const text = await readText(answer, 1_048_576);
    if (text !== undefined && !answer.ok) throw errorWithout(password, answer, shownRefusal(text, password));
    const success = parseBody(text ?? '') as LoginSuccess | null;
    const isWhole = textOf(success?.marchand, 'referencl') !== undefined;
    if (success && isWhole && isBearerToken(success.authorisation?.token)) return success;
    // The text can contain a token.
    const found = text === undefined ? 'more than 1 MiB' : 'no token or no reference';
    const description = `The answer to the login has ${found}. Check baseUrl and loginPath.`;
    throw errorWithout(password, answer, JSON.stringify({ description }));
  });
}
