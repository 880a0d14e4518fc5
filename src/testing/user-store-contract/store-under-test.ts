import type { MerchantAccount, UserStore } from '../../store/user-store.js';

/** An account that `seed` inserts with exactly these values. */
export interface SeedAccount extends MerchantAccount {
  /** A decimal string that fits in 64 bits. Some are greater than a JavaScript number can hold exactly. */
  readonly id: string;
  /** A made-up value, so no password matches it. `null` for an account without a password. */
  readonly passwordHash: string | null;
}

/** A store, with the functions that fill its database and close it. */
export interface StoreUnderTest {
  readonly store: UserStore;
  /**
   * Inserts accounts in their order, with their values, and changes no other account. Goes past the validation of an
   * ORM's model, because the column is tested. Rejects when the database refuses one, which some cases on unique emails
   * expect. Where the database makes the ids itself, for example a UUID or an ObjectId, resolve to these ids as
   * strings, in the order of the accounts.
   * @returns the ids, or nothing when the accounts have the ids that were given
   */
  // oxlint-disable-next-line typescript/no-invalid-void-type -- an async function that returns nothing fits too
  seed(accounts: readonly SeedAccount[]): Promise<readonly string[] | void>;
  /** Closes connections, and removes what was made. Called once for each case, even after a failure. */
  close?(): Promise<void>;
}
