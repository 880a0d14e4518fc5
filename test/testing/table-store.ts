import { callAsync } from '../../src/base/host-calls.js';
import type { SeedAccount, StoreUnderTest } from '../../src/testing/index.js';

/** The stored members of an account. */
export type Row = Omit<SeedAccount, 'passwordHash' | 'tokensValidAfter'> & {
  tokensValidAfter?: Date | null | undefined;
  passwordHash: string | null;
};

/** A database table and its store, as steps. A test replaces one step by a fault. */
export interface Table {
  /** Returns the row of an account. */
  readonly store: (account: SeedAccount) => Row;
  /** Returns true if the unique index takes two emails for the same. */
  readonly isSameEmail: (one: string, other: string) => boolean;
  readonly byEmail: (rows: readonly Row[], email: string) => Row | undefined;
  readonly byId: (rows: readonly Row[], id: string) => Row | undefined;
  readonly byIds: ((rows: readonly Row[], ids: readonly string[]) => readonly (Row | null)[]) | undefined;
  readonly toAccount: (row: Row) => unknown;
  /** Returns an account of `findByIds`, if it differs from that of `findById`. */
  readonly toListedAccount?: (row: Row) => unknown;
  /** Returns the account of `findCredentials`, if it differs from that of `findById`. */
  readonly toCredentialsAccount?: (row: Row, email: string) => unknown;
  readonly toHash: (row: Row) => unknown;
  /** Returns the `identifier` of `findCredentials`, if the store has one. */
  readonly toIdentifier?: (row: Row, email: string) => unknown;
  readonly replace: ((rows: readonly Row[], id: string, current: string, next: string) => unknown) | undefined;
  readonly nobodyByEmail: null | undefined;
  readonly nobodyById: null | undefined;
  /** Returns the ids that `seed` resolves to. */
  readonly idsOf: (rows: readonly Row[]) => readonly string[] | undefined;
}

export const toAccount = ({ id, email, phone, marchand, disabled, tokensValidAfter, allowedSources }: Row) => ({
  ...{ id, email, phone, marchand: { ...marchand }, disabled, allowedSources },
  tokensValidAfter: tokensValidAfter && new Date(tokensValidAfter),
});

/** A table without a fault. */
export const RIGHT: Table = {
  store: ({ tokensValidAfter, ...rest }) => ({
    ...rest,
    tokensValidAfter: tokensValidAfter && new Date(tokensValidAfter),
  }),
  isSameEmail: (one, other) => one === other,
  byEmail: (rows, email) => rows.find((row) => row.email === email),
  byId: (rows, id) => rows.find((row) => row.id === id),
  byIds: (rows, ids) => rows.filter(({ id }) => ids.includes(id)),
  toAccount,
  toHash: ({ passwordHash }) => passwordHash,
  replace(rows, id, current, next) {
    const row = rows.find((candidate) => candidate.id === id && candidate.passwordHash === current);
    if (row) row.passwordHash = next;
    return row !== undefined;
  },
  nobodyByEmail: null,
  nobodyById: null,
  idsOf: () => undefined,
};

/** Stores with one fault each, by the words that say which, and the report that the kit has to give. */
export type Faults = Record<string, Fault>;

interface Fault {
  readonly fault: Partial<Table>;
  /** The one case that fails. */
  readonly fails: string;
  /** Matches the message of the case, which says what to change. */
  readonly says: RegExp;
}

type Change = (row: Row) => object;

/** Tables whose lookups change the account: all, those of lists, or those of logins. */
export const account = (change: Change): Partial<Table> => ({ toAccount: changed(change) });
export const listed = (change: Change): Partial<Table> => ({ toListedAccount: changed(change) });
export const atLogin = (change: Change): Partial<Table> => ({ toCredentialsAccount: changed(change) });

const changed = (change: Change) => (row: Row) => ({ ...toAccount(row), ...change(row) });

/** Returns a table whose lookup and unique index hold emails equal that `fold` maps to one text. */
export const folding = (fold: (email: string) => string) =>
  ({
    isSameEmail: (one, other) => fold(one) === fold(other),
    byEmail: (rows, email) => rows.find((row) => fold(row.email) === fold(email)),
  }) satisfies Partial<Table>;

/** A table that stores emails in lower case, and changes them so in the lookup too. */
export const inLowerCase: Partial<Table> = {
  store: (account) => ({ ...RIGHT.store(account), email: account.email.toLowerCase() }),
  byEmail: (rows, email) => RIGHT.byEmail(rows, email.toLowerCase()),
};

/** Creates an empty table with one fault. */
export function createTableStore(fault: Partial<Table> = {}): StoreUnderTest {
  const table = { ...RIGHT, ...fault };
  const { replace, byIds, toCredentialsAccount = table.toAccount, toListedAccount = table.toAccount } = table;
  const { toIdentifier } = table;
  const rows: Row[] = [];
  const store = {
    findCredentials: (email: string) =>
      callAsync(() => {
        const row = table.byEmail(rows, email);
        if (row === undefined) return table.nobodyByEmail;
        const found = { account: toCredentialsAccount(row, email), passwordHash: table.toHash(row) };
        return toIdentifier ? { ...found, identifier: toIdentifier(row, email) } : found;
      }),
    findById: (id: string) =>
      callAsync(() => {
        const row = table.byId(rows, id);
        return row ? table.toAccount(row) : table.nobodyById;
      }),
    ...(byIds && {
      findByIds: (ids: readonly string[]) =>
        callAsync(() => byIds(rows, ids).map((row) => row && toListedAccount(row))),
    }),
    ...(replace && {
      replacePasswordHash: (id: string, current: string, next: string) =>
        callAsync(() => replace(rows, id, current, next)),
    }),
  };
  return {
    store: store as StoreUnderTest['store'],
    seed: (accounts) =>
      callAsync(() => {
        const inserted = accounts.map(table.store);
        for (const row of inserted) {
          if (rows.some(({ email }) => table.isSameEmail(email, row.email))) throw new Error('duplicate email');
          rows.push(row);
        }
        return table.idsOf(inserted);
      }),
    close: () => Promise.resolve(),
  };
}
