import { checkMethods } from '../base/check-options.js';

/** A merchant's account. The host can add members, which the package ignores. */
export interface MerchantAccount {
  /** The token's `sub` (RFC 7519 section 4.1.2). Not empty. For an integer key it is the decimal string. */
  readonly id: string;
  /** The API email, as stored. Not empty. */
  readonly email: string;
  /** The phone number of docs/interface.md 2.2. May be empty. */
  readonly phone: string;
  readonly marchand: {
    /**
     * The merchant reference, which requests have as `refercence_cl`. Accounts with one reference act for one merchant.
     */
    readonly referencl: string;
    /** Any integer, whose meaning the host defines (docs/interface.md 2.2.4). */
    readonly statut: number;
  };
  /** A disabled account cannot log in, and its tokens are refused on the next request. */
  readonly disabled: boolean;
  /**
   * Refuses tokens from before this time. Set it to now when the password changes, or to log out everywhere. `null` or
   * absent refuses none. The clock that sets it may differ by at most 60 s from the clock of the guard.
   *
   * The column must keep milliseconds, because each token holds the value from its login. Otherwise, set it to the
   * later of two times: now, and the old value plus a second.
   */
  readonly tokensValidAfter?: Date | null;
  /**
   * The addresses and CIDR ranges from which the account may log in and send requests: `['203.0.113.7',
   * '2001:db8::/48']`. `null` or absent allows any address, and `[]` allows none. An IPv4 address is four decimal
   * numbers without leading zeros, and counts as IPv4 inside an IPv6 address too.
   */
  readonly allowedSources?: readonly string[] | null;
}

/** The result of `findCredentials`. */
export interface Credentials<Account extends MerchantAccount = MerchantAccount> {
  readonly account: Account;
  /** The stored hash, as a PHC string or in another format that `createPasswords` knows. `null` for no password. */
  readonly passwordHash: string | null;
  /**
   * The stored text that the lookup matched, for example the user name. Default: `account.email`. The account counts as
   * unknown unless this is the text that was sent, apart from letter case, marks and white space.
   */
  readonly identifier?: string;
}

/**
 * Finds the accounts. A host implements only this interface.
 *
 * Every method may be called many times at once. When a method that finds accounts throws, rejects, or takes longer
 * than `storeTimeoutMs`, the answer is 503 `store_unavailable`. When its result breaks this contract, the answer is 500
 * `malformed_account`, and the `detail` of the error names the member. Both errors go to `next(error)`. Return `null`
 * when there is no account: `undefined` is an error, because a forgotten `return` gives it.
 */
export interface UserStore<Account extends MerchantAccount = MerchantAccount> {
  /**
   * Finds an account for a login. `identifier` is the email or user name exactly as it was sent, not trimmed,
   * lower-cased or normalized. It can hold `%`, `_`, quotes and backslashes, so bind it as a parameter. The store
   * decides if letter case counts, and its unique index must decide in the same way. Only this method returns the hash.
   * @returns the account and its hash, or `null` when no account has this identifier
   */
  findCredentials(identifier: string): Promise<Credentials<Account> | null>;

  /**
   * Finds the account of a token, whose `sub` is `id`, on every guarded request. Return disabled accounts too. The
   * account's `id` must equal `id`. Its `tokensValidAfter` must be the value that `findCredentials` returns.
   * @returns the account as it is now, or `null` when there is none. The guard then refuses its tokens
   */
  findById(id: string): Promise<Account | null>;

  /**
   * Finds several accounts in one query, for guarded requests that arrive together: 2 to 500 ids, each once. An id that
   * the column cannot hold must not fail the query for the others. The guard calls `findById` for a single id.
   *
   * The result depends on the ids alone. With this method, the guard calls both methods outside the `AsyncLocalStorage`
   * of every request, so a store that reads a tenant or a transaction from there leaves `findByIds` out. Requests of
   * one account that arrive together get one account object, so handlers must not change it.
   * @returns the accounts that exist, each once, in any order, as `findById` returns them
   */
  findByIds?(ids: readonly string[]): Promise<readonly Account[]>;

  /**
   * Replaces the stored hash with a stronger one after a login, in one statement (compare-and-set). Leave the method
   * out if other programs that read the table cannot read argon2id, or if the table is read-only. Nobody can undo the
   * replacement.
   * @returns `true` when `next` was stored, `false` when `current` is no longer stored
   */
  replacePasswordHash?(id: string, current: string, next: string): Promise<boolean>;
}

export function checkUserStore(factoryName: string, value: unknown): asserts value is UserStore {
  checkMethods(
    `${factoryName}: the userStore`,
    value,
    ['findCredentials', 'findById'],
    'Give an object that implements UserStore.',
  );
}

export function copyOf<Account extends MerchantAccount>(account: Account): Account {
  const { marchand, tokensValidAfter, allowedSources } = account;
  return {
    ...account,
    marchand: { ...marchand },
    ...(tokensValidAfter && { tokensValidAfter: new Date(tokensValidAfter) }),
    ...(allowedSources && { allowedSources: [...allowedSources] }),
  };
}
