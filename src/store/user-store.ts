import { checkMethods } from '../options.js';

/** A merchant's account, as a `UserStore` returns it. Further members are the host's own and are left alone. */
export interface MerchantAccount {
  /** Becomes the token's `sub` (RFC 7519 section 4.1.2). Not empty; for an integer key its decimal string. */
  readonly id: string;
  /** The API email, as stored. Not empty. */
  readonly email: string;
  /** The phone number of SPEC.md 2.2. May be empty. */
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
   * Tokens issued before this instant are refused: set it to now when the password changes, or to log out everywhere.
   * Absent or `null` when there is no such instant. It lies in the past, or at most 60 s ahead, which is what the clocks
   * of the application and the database may differ by.
   */
  readonly tokensValidAfter?: Date | null;
}

/** What login needs of an account. */
export interface Credentials<Account extends MerchantAccount = MerchantAccount> {
  readonly account: Account;
  /** PHC string (or an older format that `createPasswords` knows); `null` when the account has no password. */
  readonly passwordHash: string | null;
}

/**
 * Where the accounts are: the one interface that a host implements.
 *
 * Every method may be called many times at once. A method that throws, rejects, or takes longer than `storeTimeoutMs`
 * makes the request a 503 `store_unavailable`; one that resolves to anything but what is promised here makes it a 500
 * `malformed_account`, whose `message` names the member. Both go to `next(error)`, and neither is ever a 401 or a pass.
 * Absence is `null`, never `undefined`, which is what a forgotten `return` gives.
 */
export interface UserStore<Account extends MerchantAccount = MerchantAccount> {
  /**
   * Called once for each login whose body is valid, with the email exactly as it was sent: nothing is trimmed,
   * lower-cased or normalised, and it can hold `%`, `_`, quotes and backslashes, so bind it as a parameter. Whether
   * letter case counts is the store's choice; lookup has to agree with what the store holds to be unique.
   *
   * This is the only method that returns the hash, so that it travels nowhere else.
   * @returns the account and its hash, or `null` when no account has this email.
   */
  findCredentials(email: string): Promise<Credentials<Account> | null>;

  /**
   * Called on every guarded request, with the `sub` of a token that is good; also for disabled accounts, which are
   * returned as such. The account's `id` must equal `id`.
   * @returns the account as it is now, or `null` when there is none: its tokens are refused from then on.
   */
  findById(id: string): Promise<Account | null>;

  /**
   * Compare-and-set of the stored hash, for upgrading it after a login. Leave it out if the table is read-only.
   * @returns `true` when `next` was stored, `false` when `current` is no longer what is stored.
   */
  replacePasswordHash?(id: string, current: string, next: string): Promise<boolean>;
}

/** @throws TypeError unless `value` has the two methods that every store has. */
export function checkUserStore(factory: string, value: unknown): asserts value is UserStore {
  checkMethods(
    `${factory}: the userStore`,
    value,
    ['findCredentials', 'findById'],
    'Give an object that implements UserStore.',
  );
}
