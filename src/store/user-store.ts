import { checkMethods } from '../options/check-options.js';

/** A merchant's account, as a `UserStore` returns it. The host can add members; the package ignores them. */
export interface MerchantAccount {
  /** Becomes the token's `sub` (RFC 7519 section 4.1.2). Not empty; for an integer key its decimal string. */
  readonly id: string;
  /** The API email, as stored. Not empty. */
  readonly email: string;
  /** The phone number of docs/interface.md 2.2. May be empty. */
  readonly phone: string;
  readonly marchand: {
    /** The merchant reference, which requests carry as `refercence_cl`. Accounts that share it act for one merchant. */
    readonly referencl: string;
    /** Any integer; its meaning is the host's. */
    readonly statut: number;
  };
  /** A disabled account cannot log in, and its tokens are refused on the next request. */
  readonly disabled: boolean;
  /**
   * Set it to now to refuse every token that was issued before: when the password changes, or to log out everywhere. Any
   * clock can set it that differs from ours by at most 60 s. Absent or `null` when nothing was revoked. The column keeps
   * milliseconds; otherwise set it to the later of now and the old value plus a second, because tokens carry this value.
   */
  readonly tokensValidAfter?: Date | null;
}

/** The result of `findCredentials`. */
export interface Credentials<Account extends MerchantAccount = MerchantAccount> {
  readonly account: Account;
  /** PHC string (or an older format that `createPasswords` knows); `null` when the account has no password. */
  readonly passwordHash: string | null;
  /**
   * The stored text that the lookup matched, for example the user name. Default: `account.email`. If it is another text
   * than the one that was sent (after folding case, marks and white space), the account counts as unknown.
   */
  readonly identifier?: string;
}

/**
 * Finds the accounts. It is the one interface that a host implements.
 *
 * Every method may be called many times at once. A method that throws, rejects, or takes longer than `storeTimeoutMs`
 * makes the answer a 503 `store_unavailable`. A result that breaks this contract makes it a 500 `malformed_account`, whose
 * `detail` names the member. Both go to `next(error)`. Neither becomes a 401 or a pass. Absence is `null`. `undefined` is
 * an error, because a forgotten `return` gives it.
 */
export interface UserStore<Account extends MerchantAccount = MerchantAccount> {
  /**
   * Called for each login with valid arguments. `identifier` is the email or user name exactly as it was sent: nothing is
   * trimmed, lower-cased or normalized. It can hold `%`, `_`, quotes and backslashes, so bind it as a parameter. The store
   * decides if letter case counts. The lookup and the store's unique index must agree on it.
   *
   * Only this method returns the hash.
   * @returns the account and its hash, or `null` when no account has this identifier
   */
  findCredentials(identifier: string): Promise<Credentials<Account> | null>;

  /**
   * Called on every guarded request, with the `sub` of a good token. Return disabled accounts too. The account's `id` must
   * equal `id`, and its `tokensValidAfter` must be the value that `findCredentials` returns.
   * @returns the account as it is now, or `null` when there is none; its tokens are refused from then on
   */
  findById(id: string): Promise<Account | null>;

  /**
   * Replaces the stored hash by a newer format after a login (compare-and-set). It is one-way, also for other programs
   * that read the table. Leave it out if they cannot read argon2id, or if the table is read-only.
   * @returns `true` when `next` was stored, `false` when `current` is no longer stored
   */
  replacePasswordHash?(id: string, current: string, next: string): Promise<boolean>;
}

/** @throws TypeError unless `value` has the two methods that every store has */
export function checkUserStore(factory: string, value: unknown): asserts value is UserStore {
  checkMethods(
    `${factory}: the userStore`,
    value,
    ['findCredentials', 'findById'],
    'Give an object that implements UserStore.',
  );
}
