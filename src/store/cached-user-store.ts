import { LRUCache } from 'lru-cache';
import { callback, type OptionParsers, parseOptions, wholeNumber } from '../options/parse-options.js';
import { DEFAULT_STORE_TIMEOUT_MS } from './call-store.js';
import { checkUserStore, type MerchantAccount, type UserStore } from './user-store.js';

export interface CachedUserStoreOptions {
  /**
   * The greatest age in milliseconds of an account that lets a request pass. For this time a disabled, deleted or revoked
   * account is still served. There is no default, because only the host can choose it.
   */
  readonly maxStalenessMs: number;
  /** The number of accounts that are kept; the least recently used one goes first. Default 10,000. */
  readonly maxEntries?: number;
  /** Returns the time in milliseconds. Default `performance.now`, because it never jumps; for tests. */
  readonly clock?: () => number;
}

const OPTIONS = {
  maxStalenessMs: wholeNumber({ least: 1 }),
  maxEntries: wholeNumber({ least: 1, otherwise: 10_000 }),
  clock: callback(() => performance.now()),
} satisfies OptionParsers<CachedUserStoreOptions>;

interface Entry<Account> {
  /** The time of the question. */
  readonly askedAt: number;
  readonly answer: Promise<Account | null>;
  isAnswered: boolean;
}

/**
 * Makes a store that keeps the results of another store's `findById`, also `null`. It is for guards with more requests than
 * their database can serve. Concurrent requests for one account share one read, for at most 5 s. Failures are not kept, and
 * nothing is served beyond `maxStalenessMs`, also while the store is down. Logins always ask the store, and remove the
 * account from the cache, so that the new token meets the account that it was issued for.
 *
 * All requests get the same account object, so handlers must not change it. Each process has its own cache: the others
 * learn of a change when their entries expire. Use one cached store for each realm.
 * @throws TypeError for a store without its methods, or options that are not whole numbers
 */
export function createCachedUserStore<Account extends MerchantAccount>(
  userStore: UserStore<Account>,
  options: CachedUserStoreOptions,
): UserStore<Account> {
  checkUserStore('createCachedUserStore', userStore);
  const { maxStalenessMs, maxEntries, clock } = parseOptions('createCachedUserStore', options, OPTIONS);
  const entries = new LRUCache<string, Entry<Account>>({ max: maxEntries });
  // Nobody joins a read that the guard would have given up, because a lost connection may never answer.
  const isFresh = ({ askedAt, isAnswered }: Entry<Account>) =>
    clock() - askedAt < (isAnswered ? maxStalenessMs : Math.min(maxStalenessMs, DEFAULT_STORE_TIMEOUT_MS));

  const read = (id: string): Promise<Account | null> => {
    // Async, for a store that throws, and for query builders, which run once for each `then`.
    const ask = async () => userStore.findById(id);
    const entry: Entry<Account> = { askedAt: clock(), answer: ask(), isAnswered: false };
    entries.set(id, entry);
    entry.answer.then(
      () => (entry.isAnswered = true),
      () => {
        if (entries.peek(id) === entry) entries.delete(id);
      },
    );
    return entry.answer;
  };

  return {
    async findCredentials(identifier) {
      const found = await userStore.findCredentials(identifier);
      const id: unknown = found?.account?.id;
      if (typeof id === 'string') entries.delete(id);
      return found;
    },
    async findById(id) {
      const shared = entries.get(id);
      if (shared !== undefined && isFresh(shared)) {
        const account = await shared.answer;
        // A shared read that took long is as old as its question.
        if (isFresh(shared)) return account;
      }
      // Of all requests that waited for it, one asks again.
      const latest = entries.get(id);
      return latest !== undefined && isFresh(latest) ? latest.answer : read(id);
    },
    ...(userStore.replacePasswordHash && {
      replacePasswordHash: (id: string, current: string, next: string) =>
        userStore.replacePasswordHash?.(id, current, next) ?? Promise.resolve(false),
    }),
  };
}
