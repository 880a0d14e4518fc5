import { asError, messageOf } from '../errors/as-error.js';
import { AuthError } from '../errors/auth-error.js';
import { checkInteger } from '../options.js';
import { within } from '../within.js';
import type { UserStore } from './user-store.js';

/** How long a store may take. Long enough for a slow query, short enough that callers do not pile up behind it. */
export const DEFAULT_STORE_TIMEOUT_MS = 5_000;

/**
 * Calls a method of the host's store, for at most `timeoutMs` milliseconds.
 * @throws AuthError `store_unavailable`, with what the store threw or rejected with as its `cause`.
 */
export function callStore<Result>(
  method: keyof UserStore,
  timeoutMs: number,
  call: () => Promise<Result>,
): Promise<Result> {
  return within(timeoutMs, call, (reason) => {
    const cause = asError(reason);
    return new AuthError('store_unavailable', { detail: `UserStore.${method} failed: ${messageOf(cause)}`, cause });
  });
}

/** @throws TypeError unless `value` is a time in milliseconds that a timer of Node.js can hold. */
export function checkStoreTimeout(factory: string, value: unknown): void {
  checkInteger(`${factory}: storeTimeoutMs`, value, 1, 2 ** 31 - 1);
}
