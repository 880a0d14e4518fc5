import { isBearerToken } from './bearer-token.js';
import type { ClientConfig } from './client-options.js';
import { errorWithout, MerchantApiError } from './merchant-api-error.js';
import type { ServerClock } from './server-clock.js';
import { readText } from './read-text.js';
import { request } from './request.js';
import { delay } from './waiting.js';

/**
 * Limits the wait before a second attempt, in seconds. If the service asks for a longer wait, the caller gets the
 * error.
 */
const LONGEST_WAIT_SECONDS = 30;

/** The codes of refusals that last until a person acts (docs/interface.md 4). */
const LASTING: readonly unknown[] = ['wrong_credentials', 'account_disabled', 'source_not_allowed'];

/** The layout of the service's errors, with empty texts. */
const LAYOUT =
  /^\{"status":"Error","success":false,"code":\d{3},"error":"[a-z_]{1,40}","message":"","description":""(,"errors":\[(\{"field":"","rule":"","message":""\},?)+\])?\}$/;

/** The seconds without a login after such a refusal. */
const LASTING_SECONDS = 60;

/** Limits the seconds without a login after a `Retry-After`. */
const LONGEST_PAUSE_SECONDS = 900;

/** The seconds by which a pause is shorter than `Retry-After`, because the timer of a caller can fire early. */
const EARLY_TIMER_SECONDS = 0.05;

/** Limits the body of an answer, in bytes. That of the service has less than 1 KiB. */
const MAX_BYTES = 1_048_576;

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

/** Returns the seconds after a failed login in which the next one would fail too. */
export function secondsRefused(error: unknown): number {
  if (error instanceof MerchantApiError && LASTING.includes(error.error)) return LASTING_SECONDS;
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
  const { answer, text } = await request(config, baseUrl + loginPath, init, (received, stop) =>
    readText(received, MAX_BYTES, stop),
  );
  serverClock.learn(answer);
  // The error leaves the text out, because it can contain a token.
  const fail = (found: string) => {
    const description = `The answer to the login has ${found}. Check baseUrl and loginPath.`;
    return errorWithout(password, answer, JSON.stringify({ description }));
  };
  if (text === undefined) throw fail('more than 1 MiB');
  if (!answer.ok) throw errorWithout(password, answer, shownRefusal(text, password));
  const success = parseSuccess(text);
  if (success === undefined) throw fail('no token or no reference');
  return success;
}

/**
 * Returns the body of a refusal in the layout of the service's errors, without the password. Any other text can repeat
 * the password in escapes, so that only a lasting code is kept of it.
 */
function shownRefusal(text: string, password: string): string {
  try {
    const body: unknown = JSON.parse(text, (_name, value: unknown) =>
      typeof value === 'string' && !LASTING.includes(value) ? value.replaceAll(password, '***') : value,
    );
    const layout = JSON.stringify(body, (name, value: unknown) =>
      typeof value === 'string' && !['status', 'error'].includes(name) ? '' : value,
    );
    if (LAYOUT.test(layout)) return JSON.stringify(body);
    const { error } = Object(body) as { readonly error?: unknown };
    return LASTING.includes(error) ? JSON.stringify({ error }) : '';
  } catch {
    return '';
  }
}

function parseSuccess(text: string): LoginSuccess | undefined {
  try {
    const success = JSON.parse(text) as LoginSuccess;
    const { authorisation, marchand } = success;
    return isBearerToken(authorisation.token) && typeof marchand.referencl === 'string' ? success : undefined;
  } catch {
    return undefined;
  }
}
