import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import { type OptionParsers, parseOptions, wholeNumber } from '../options/parse-options.js';
import { DEFAULT_STORE_TIMEOUT_MS } from './call-store.js';
import { checkUserStore, type MerchantAccount, type UserStore } from './user-store.js';

export interface CachedUserStoreOptions {
  /**
   * The greatest age of a cached account, in milliseconds. For this time, a disabled, deleted or revoked account still
   * passes. There is no default, because only the host can accept that.
   */
  readonly maxStalenessMs: number;
  /** The number of accounts that are kept. The least recently used account is dropped first. Default 10,000. */
  readonly maxEntries?: number;
}

const OPTIONS = {
  maxStalenessMs: wholeNumber({ least: 1 }),
  maxEntries: wholeNumber({ least: 1, fallback: 10_000 }),
} satisfies OptionParsers<CachedUserStoreOptions>;

interface Entry<Account> {
  /** The time when the store was asked, by `performance.now`, because that never jumps. */
  readonly askedAt: number;
  readonly answer: Promise<Account | null>;
  /** Absent while the account is being read. */
  answered?: { readonly account: Account | null };
}

/**
 * Makes a store that caches the results of another store's `findById`, also `null`. It is for guards with more requests
 * than their database can serve. Concurrent requests for one account share one read, for at most 5 s. Failures are not
 * cached. A result older than `maxStalenessMs` is never returned, also while the store is down. A login always asks the
 * store. It drops the entry when a member that decides about tokens has changed, so that the new token works.
 *
 * All requests get the same account object, so handlers must not change it. Each process has its own cache, and sees a
 * change when its entry expires. Use one cached store for each realm.
 * @throws TypeError for a store without its methods, or options that are not whole numbers
 */
export function createCachedUserStore<Account extends MerchantAccount>(
  userStore: UserStore<Account>,
  options: CachedUserStoreOptions,
): UserStore<Account> {
  checkUserStore('createCachedUserStore', userStore);
  const { maxStalenessMs, maxEntries } = parseOptions('createCachedUserStore', options, OPTIONS);
  const entries = new LRUCache<string, Entry<Account>>({ max: maxEntries });
  // A read that takes longer than the guard waits is not shared, because a lost connection may never answer.
  const isFresh = ({ askedAt, answered }: Entry<Account>) =>
    performance.now() - askedAt < (answered ? maxStalenessMs : Math.min(maxStalenessMs, DEFAULT_STORE_TIMEOUT_MS));

  const read = (id: string): Promise<Account | null> => {
    // An async function, because a store can throw, and because a query builder runs once for each `then`.
    const ask = async () => userStore.findById(id);
    const entry: Entry<Account> = { askedAt: performance.now(), answer: ask() };
    entries.set(id, entry);
    entry.answer.then(
      (account) => (entry.answered = { account }),
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
      if (typeof id !== 'string') return found;
      const cached = entries.peek(id)?.answered;
      // A read in flight is dropped too, because it can be older than the login.
      if (!cached || !isDeepStrictEqual(tokenFactsOf(cached.account), tokenFactsOf(found?.account))) entries.delete(id);
      return found;
    },
    async findById(id) {
      const shared = entries.get(id);
      if (shared !== undefined && isFresh(shared)) {
        const account = await shared.answer;
        // The age counts from the start of the read, so a slow read can be too old.
        if (isFresh(shared)) return account;
      }
      // The first of the waiting requests asks again, and the others share its read.
      const latest = entries.get(id);
      return latest !== undefined && isFresh(latest) ? latest.answer : read(id);
    },
    ...(userStore.replacePasswordHash && {
      replacePasswordHash: (id: string, current: string, next: string) =>
        userStore.replacePasswordHash?.(id, current, next) ?? Promise.resolve(false),
    }),
  };
}

/** Returns the members of an account that decide about its tokens. */
function tokenFactsOf(account: MerchantAccount | null | undefined): unknown[] {
  return [account?.marchand?.referencl, account?.disabled, account?.tokensValidAfter?.valueOf()];
}
