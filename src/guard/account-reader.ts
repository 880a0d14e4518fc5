import { AsyncLocalStorage } from 'node:async_hooks';
import { within } from '../base/host-calls.js';
import { inNextPhase } from '../base/next-phase.js';
import { callStore, MAX_IDS, readAccounts, storeUnavailable } from '../store/call-store.js';
import { type GuardedMembers, onlyAccountOf, readAccountOf } from '../store/check-account.js';
import type { MerchantAccount, UserStore } from '../store/user-store.js';

export interface FoundAccount {
  readonly account: MerchantAccount;
  /** As read once: a getter of `account` can return another value later. */
  readonly members: GuardedMembers;
}

/**
 * Resolves to `null` for an account that is gone.
 * @throws AuthError `store_unavailable` or `malformed_account`
 */
export type ReadAccount = (id: string) => Promise<FoundAccount | null>;

interface Batch {
  readonly ids: Set<string>;
  readonly answer: Promise<(id: string) => readonly unknown[]>;
}

export function accountReader(userStore: UserStore, timeoutMs: number): ReadAccount {
  if (userStore.findByIds !== undefined) return batchReader(userStore, timeoutMs);
  return async (id) => check('findById', id, await callStore('findById', timeoutMs, () => userStore.findById(id)));
}

/**
 * Reads the ids of requests that arrive in one phase of the event loop together, at most `MAX_IDS`. Waits for the next
 * phase: an account must be read after its request arrived. A single id goes to `findById`, whose query costs less.
 *
 * Calls the store outside every `AsyncLocalStorage`: a call can serve several requests. A store that needs the tenant of
 * its request has to throw here, or a tenant could get the account of another.
 */
function batchReader(userStore: UserStore, timeoutMs: number): ReadAccount {
  const outsideRequests = AsyncLocalStorage.snapshot();
  let open: Batch | undefined;

  function start(): Batch {
    const ids = new Set<string>();
    const answer = new Promise<(id: string) => readonly unknown[]>((resolve) => {
      inNextPhase(() => {
        open = undefined;
        resolve(outsideRequests(() => within(timeoutMs, () => readAccounts(userStore, [...ids]))));
      });
    });
    return { ids, answer };
  }

  return async (id) => {
    open ??= start();
    const { ids, answer } = open;
    ids.add(id);
    if (ids.size === MAX_IDS) open = undefined;
    let accounts: readonly unknown[];
    try {
      accounts = (await answer)(id);
    } catch (reason) {
      // An error for each request: hosts add members to errors.
      throw storeUnavailable(methodFor(ids), reason);
    }
    return check(methodFor(ids), id, onlyAccountOf(accounts));
  };
}

function methodFor({ size }: ReadonlySet<string>): 'findById' | 'findByIds' {
  return size === 1 ? 'findById' : 'findByIds';
}

function check(method: 'findById' | 'findByIds', id: string, account: unknown): FoundAccount | null {
  const members = readAccountOf(account, id, method);
  return members && { account: account as MerchantAccount, members };
}
