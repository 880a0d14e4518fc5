import { isBearerToken } from './bearer-token.js';
import type { ClientConfig } from './client-options.js';
import { MerchantApiError } from './merchant-api-error.js';
import type { ServerClock } from './server-clock.js';
import { request } from './request.js';
import { delay } from './waiting.js';
import { withoutSecret } from './without-secret.js';

/**
 * Limits the wait before a second attempt, in seconds. If the service asks for a longer wait, the caller gets the
 * error.
 */
const LONGEST_WAIT_SECONDS = 30;

/** The codes of refusals that last until a person acts (docs/interface.md 4). */
const LASTING = ['wrong_credentials', 'account_disabled', 'source_not_allowed'];

/** The seconds without a login after such a refusal. */
const LASTING_SECONDS = 60;

/** Limits the seconds without a login after a `Retry-After`. */
const LONGEST_PAUSE_SECONDS = 900;

/** The seconds by which a pause is shorter than `Retry-After`, because the timer of a caller can fire early. */
const EARLY_TIMER_SECONDS = 0.05;

/** The answer to a successful login (docs/interface.md 2.2). */
export interface LoginSuccess {
  readonly status: 'Success';
  readonly success: true;
  readonly code: 200;
  readonly message: 'Login success';
  readonly user: { readonly email: string; readonly phone: string };
  /** The value of `referencl` is the `refercence_cl` of transactions. The host defines the values of `statut`. */
  readonly marchand: { readonly referencl: string; readonly statut: number };
  readonly authorisation: { readonly token: string; readonly type: 'bearer' };
}

/**
 * Logs in. After a 429 or a 503 it waits once, when `Retry-After` is at most 30 seconds.
 * @throws MerchantApiError for any answer that is not a success; the error of `request` when there is no answer
 */
export async function logIn(config: ClientConfig, serverClock: ServerClock): Promise<LoginSuccess> {
  try {
    return await requestToken(config, serverClock);
  } catch (error) {
    const seconds = secondsAskedFor(error) ?? Infinity;
    if (seconds > LONGEST_WAIT_SECONDS) throw error;
    await delay(seconds * 1000);
    return requestToken(config, serverClock);
  }
}

/**
 * Returns the seconds after a failed login in which the next one would fail too. The code can contain the password, for
 * example `credentials`, so it is compared with codes from which the password is removed as well.
 */
export function secondsRefused(error: unknown, { password }: ClientConfig): number {
  const isLasting = (code: string) =>
    error instanceof MerchantApiError && error.error === withoutSecret(code, password);
  if (LASTING.some(isLasting)) return LASTING_SECONDS;
  return Math.min(secondsAskedFor(error) ?? 0, LONGEST_PAUSE_SECONDS) - EARLY_TIMER_SECONDS;
}

/** Returns the `Retry-After` of a 429 or a 503. */
function secondsAskedFor(error: unknown): number | undefined {
  if (!(error instanceof MerchantApiError)) return undefined;
  return error.status === 429 || error.status === 503 ? error.retryAfterSeconds : undefined;
}

async function requestToken(config: ClientConfig, serverClock: ServerClock): Promise<LoginSuccess> {
  const { baseUrl, loginPath, email, password } = config;
  const init: RequestInit = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password }),
    // A redirect must not send the password to another address.
    redirect: 'error',
  };
  const { answer, text } = await request(config, baseUrl + loginPath, init, (received) => received.text());
  serverClock.learn(answer);
  if (!answer.ok) throw new MerchantApiError(answer, withoutSecret(text, password));
  return parseSuccess(answer, text);
}

function parseSuccess(answer: Response, text: string): LoginSuccess {
  try {
    const success = JSON.parse(text) as LoginSuccess;
    const { authorisation, marchand } = success;
    if (isBearerToken(authorisation.token) && typeof marchand.referencl === 'string') return success;
  } catch {
    // The answer is not JSON, or has another form.
  }
  // The error leaves the text out, because it can contain a token.
  const description = 'The answer to the login has no token or no reference. Check baseUrl and loginPath.';
  throw new MerchantApiError(answer, JSON.stringify({ description }));
}
