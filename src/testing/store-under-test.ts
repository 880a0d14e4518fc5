import type { MerchantAccount, UserStore } from '../store/user-store.js';

/** An account for `seed` to insert, every member as it is here. */
export interface SeedAccount extends MerchantAccount {
  /** A decimal string within 64 bits; most are small, some lie beyond what a JavaScript number holds exactly. */
  readonly id: string;
  /** What is stored; made up, so it matches no password. `null` for an account without one. */
  readonly passwordHash: string | null;
}

/** A store, and how its database is filled and left. */
export interface StoreUnderTest {
  readonly store: UserStore;
  /**
   * Inserts accounts, in their order and with their values, and changes none that are there. Rejects when the database
   * refuses one, as for an email that it holds to be taken, which cases on uniqueness try.
   * @returns nothing; or the accounts' ids as strings, in their order, when the database gives ids of its own (a UUID, an
   *   ObjectId), which are then used in place of those given
   */
  // eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- an async function that returns nothing fits too
  seed(accounts: readonly SeedAccount[]): Promise<readonly string[] | void>;
  /** Ends connections and drops what was made. Called once a case, also after a failure. */
  close(): Promise<void>;
}
