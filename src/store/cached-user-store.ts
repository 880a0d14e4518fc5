import { LRUCache } from 'lru-cache';
import { checkFunction, checkInteger, checkOptions, type OptionNames } from '../options.js';
import { DEFAULT_STORE_TIMEOUT_MS } from './call-store.js';
import { checkUserStore, type MerchantAccount, type UserStore } from './user-store.js';

export interface CachedUserStoreOptions {
  /**
   * How old an account may be, in milliseconds, when it lets a request pass: the time for which a disabled, deleted or
   * revoked account goes on being served. There is no default, since nobody but the host can choose it.
   */
  readonly maxStalenessMs: number;
  /** How many accounts are kept; the one unused for longest goes first. Default 10,000. */
  readonly maxEntries?: number;
  /** The time in milliseconds. Default `performance.now`, which no change of the system's time moves; for tests. */
  readonly clock?: () => number;
}

const OPTIONS: OptionNames<CachedUserStoreOptions> = { maxStalenessMs: true, maxEntries: true, clock: true };

interface Entry<Account> {
  /** When the store was asked. */
  readonly askedAt: number;
  readonly answer: Promise<Account | null>;
  isAnswered: boolean;
}

/**
 * A store that remembers what `findById` of another found, absence included, for guards with more requests than their
 * database bears. Requests for an account that is being read share the one read, for 5 s. A failure is not remembered, and
 * nothing is served beyond `maxStalenessMs`, also while the store is down. Logins always go to the store.
 *
 * The account that it returns is one object for all requests, which handlers must not change.
 *
 * One store per realm and per process; the others learn of a change when their own entries age.
 * @throws TypeError for a store without its methods, or options that are no whole numbers
 */
export function cachedUserStore<Account extends MerchantAccount>(
  userStore: UserStore<Account>,
  options: CachedUserStoreOptions,
): UserStore<Account> {
  checkUserStore('cachedUserStore', userStore);
  checkOptions('cachedUserStore', options, OPTIONS);
  const { maxStalenessMs, maxEntries = 10_000, clock = () => performance.now() } = options;
  checkInteger('cachedUserStore: maxStalenessMs', maxStalenessMs, 1);
  checkInteger('cachedUserStore: maxEntries', maxEntries, 1);
  checkFunction('cachedUserStore: clock', clock);
  const entries = new LRUCache<string, Entry<Account>>({ max: maxEntries });
  // Nobody joins a read that the guard would have given up: a connection that was lost may never answer.
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
    findCredentials: (email) => userStore.findCredentials(email),
    async findById(id) {
      const shared = entries.get(id);
      if (shared !== undefined && isFresh(shared)) {
        const account = await shared.answer;
        // A shared read that took long is as old as its question.
        if (isFresh(shared)) return account;
      }
      // Of all who waited for it, one asks again.
      const latest = entries.get(id);
      return latest !== undefined && isFresh(latest) ? latest.answer : read(id);
    },
    ...(userStore.replacePasswordHash && {
      replacePasswordHash: (id: string, current: string, next: string) =>
        userStore.replacePasswordHash?.(id, current, next) ?? Promise.resolve(false),
    }),
  };
}
