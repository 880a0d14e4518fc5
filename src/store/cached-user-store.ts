import { LRUCache } from 'lru-cache';
import { callDroppingErrors } from '../base/host-calls.js';
import { type OptionParsers, parseOptions, wholeNumber } from '../base/parse-options.js';
import { DEFAULT_STORE_TIMEOUT_MS, readAccounts } from './call-store.js';
import { membersOf, onlyAccountOf, readAccountOf } from './check-account.js';
import { checkUserStore, type MerchantAccount, type UserStore } from './user-store.js';

/** Limits the age and the number of cached accounts. */
export interface CachedUserStoreOptions {
  /**
   * The greatest age of a cached account, in milliseconds. Until that age, a disabled or deleted account, a revoked
   * token and an address that was removed from `allowedSources` still pass. No default, because only the host can
   * accept this risk.
   */
  readonly maxStalenessMs: number;
  /** The number of accounts that are kept. The least recently used one is dropped first. Default 10,000. */
  readonly maxEntries?: number;
}

/** @internal */
export const CACHE_OPTIONS = {
  maxStalenessMs: wholeNumber({ least: 1 }),
  maxEntries: wholeNumber({ least: 1, fallback: 10_000 }),
} satisfies OptionParsers<CachedUserStoreOptions>;

/** A faulty store can return more than one. */
type Result<Account> = readonly Account[];

interface Entry<Account> {
  /** By `performance.now`, which never jumps. */
  readonly askedAt: number;
  readonly answer: Promise<Result<Account>>;
  /** False while the account is being read. */
  isAnswered: boolean;
}

/**
 * Makes a store that caches the results of `findById` and `findByIds`, including that an account does not exist. Use it
 * for guards with more requests than their database can serve. Concurrent requests for one account share one read, for
 * at most 5 s, whatever the guard's `storeTimeoutMs`. Failures and malformed accounts are not cached. A result older
 * than `maxStalenessMs` is never returned, even while the store is down. A login always asks the store. It drops the
 * cached account, or a read in progress, if `referencl`, `disabled`, `tokensValidAfter` or `allowedSources` differs
 * from the last result, so that the new token works.
 *
 * All requests get the same account object, so handlers must not change it. Each process has a cache, and sees any
 * change of an account, even of `marchand`, when the cached one expires. Use one cached store for each realm.
 * @throws TypeError for a store without its methods, or options that are not whole numbers
 */
export function createCachedUserStore<Account extends MerchantAccount>(
  userStore: UserStore<Account>,
  given: CachedUserStoreOptions,
): UserStore<Account> {
  checkUserStore('createCachedUserStore', userStore);
  const { maxStalenessMs, maxEntries } = parseOptions('createCachedUserStore', given ?? {}, CACHE_OPTIONS);
  // `fetch` of lru-cache 11 shares a read without a time limit, counts the age from the end of the read, and takes one key.
  // The code that corrects this is as long as the code below, and each hit takes 1.5 times as long.
  const entries = new LRUCache<string, Entry<Account>>({ max: maxEntries });
  /** The members in the last result of a read or a login. As text, because a store can change its objects. */
  const lastMembers = new LRUCache<string, string>({ max: maxEntries });
  // A lost connection may never answer, so a slow read is no longer shared.
  const isFresh = ({ askedAt, isAnswered }: Entry<Account>) =>
    performance.now() - askedAt < (isAnswered ? maxStalenessMs : Math.min(maxStalenessMs, DEFAULT_STORE_TIMEOUT_MS));

  const keep = (id: string, entry: Entry<Account>): void => {
    entries.set(id, entry);
    entry.answer
      .then((result) => {
        // Throws for a result that must not be kept.
        readAccountOf(onlyAccountOf(result), id);
        entry.isAnswered = true;
        if (entries.peek(id) === entry) lastMembers.set(id, textOf(result));
      })
      .catch(() => {
        if (entries.peek(id) === entry) entries.delete(id);
      });
  };

  /** Ids without a read share one call. */
  const readsOf = (ids: readonly string[]): ReadonlyMap<string, Entry<Account>> => {
    const reads = new Map<string, Entry<Account>>();
    const missing: string[] = [];
    for (const id of ids) {
      const entry = entries.get(id);
      if (entry !== undefined && isFresh(entry)) reads.set(id, entry);
      else missing.push(id);
    }
    if (missing.length === 0) return reads;
    const askedAt = performance.now();
    const results = readAccounts(userStore, missing);
    for (const id of missing) {
      const entry = { askedAt, isAnswered: false, answer: results.then((resultOf) => resultOf(id) as Result<Account>) };
      keep(id, entry);
      reads.set(id, entry);
    }
    return reads;
  };

  const find = async (ids: readonly string[]): Promise<Result<Account>[]> => {
    const askedAt = performance.now();
    const results: Result<Account>[] = [];
    for (let left = ids; left.length > 0;) {
      const tooOld: string[] = [];
      for (const [id, entry] of readsOf(left)) {
        const result = await entry.answer;
        // The age counts from the start of the read: a slow one of an earlier request can be too old.
        if (entry.askedAt >= askedAt || isFresh(entry)) results.push(result);
        else tooOld.push(id);
      }
      left = tooOld;
    }
    return results;
  };

  /**
   * Drops an entry that differs from a login, even a read in flight, which can be older. If each login dropped it,
   * strangers could keep the cache empty.
   */
  const compareWithLogin = (account: Account): void => {
    const { id } = account;
    const members = textOf([account]);
    if (lastMembers.get(id) !== members) entries.delete(id);
    lastMembers.set(id, members);
  };

  return {
    async findCredentials(identifier) {
      const found = await userStore.findCredentials(identifier);
      // The login refuses an account that cannot be read.
      await callDroppingErrors(() => found && compareWithLogin(found.account));
      return found;
    },
    async findById(id) {
      return onlyAccountOf((await find([id])).flat());
    },
    ...(userStore.findByIds && { findByIds: async (ids: readonly string[]) => (await find(ids)).flat() }),
    ...(userStore.replacePasswordHash && {
      replacePasswordHash: (id: string, current: string, next: string) =>
        userStore.replacePasswordHash?.(id, current, next) ?? Promise.resolve(false),
    }),
  };
}

function textOf(accounts: readonly MerchantAccount[]): string {
  return JSON.stringify(accounts.map(membersOf));
}
