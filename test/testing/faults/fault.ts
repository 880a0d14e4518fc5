import { RIGHT, type Row, type Table } from '../table-store.js';

/** A store with one fault, and the report that the kit has to give. */
export interface Fault {
  readonly title: string;
  readonly fault: Partial<Table>;
  /** The one case that fails. */
  readonly fails: string;
  /** Matches the message of the case, which says what to change. */
  readonly says: RegExp;
}

/** Returns a table whose lookups change the account. */
export const account = (change: (row: Row) => object): Partial<Table> => ({
  toAccount: (row) => ({ ...(RIGHT.toAccount(row) as object), ...change(row) }),
});
