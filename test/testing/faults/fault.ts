import { RIGHT, type Row, type Table } from '../table-store.js';

/** A table that is wrong in one way, and how the kit has to report it. */
export interface Fault {
  readonly title: string;
  readonly fault: Partial<Table>;
  /** The one case that fails. */
  readonly fails: string;
  /** What its message says to change. */
  readonly says: RegExp;
}

/** Changes of the account that is returned. */
export const account = (change: (row: Row) => object): Partial<Table> => ({
  toAccount: (row) => ({ ...(RIGHT.toAccount(row) as object), ...change(row) }),
});
