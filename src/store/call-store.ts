import { asError } from '../base/as-error.js';
import { within } from '../base/host-calls.js';
import { type AuthError, unavailable } from '../errors/auth-error.js';
import { wholeNumber } from '../base/parse-options.js';
import { accountsById } from './check-account.js';
import type { MerchantAccount, UserStore } from './user-store.js';

/** Databases limit the parameters of a statement. */
export const MAX_IDS = 500;

export const DEFAULT_STORE_TIMEOUT_MS = 5_000;

/** At most the longest time of a timer of Node.js. */
export const storeTimeout = wholeNumber({ least: 1, most: 2 ** 31 - 1, fallback: DEFAULT_STORE_TIMEOUT_MS });

/** @throws AuthError of `unavailable`, with the store's error as its `cause` */
export async function callStore<Result>(
  method: keyof UserStore,
  timeoutMs: number,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await within(timeoutMs, call);
  } catch (reason) {
    throw storeUnavailable(method, reason);
  }
}

/** The accounts are not checked yet. */
export async function readAccounts<Account extends MerchantAccount>(
  userStore: UserStore<Account>,
  ids: readonly string[],
): Promise<(id: string) => readonly unknown[]> {
  const [first = ''] = ids;
  if (ids.length > 1) return accountsById(ids, await userStore.findByIds?.(ids));
  const account = await userStore.findById(first);
  return () => (account === null ? [] : [account]);
}

export function storeUnavailable(method: keyof UserStore, reason: unknown): AuthError {
  return unavailable(`UserStore.${method} failed.`, asError(reason));
}
