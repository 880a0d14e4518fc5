import { AuthError } from '../errors/auth-error.js';
import { isFilledString } from '../base/check-options.js';
import { isSourceList } from '../sources/ranges.js';
import { problemBy, type Rule, TOKEN_RULES } from '../tokens/token-subject.js';
import type { Credentials, MerchantAccount } from './user-store.js';

export type GuardedMembers = Pick<MerchantAccount, 'id' | 'disabled' | 'tokensValidAfter' | 'allowedSources'> & {
  readonly marchand: Pick<MerchantAccount['marchand'], 'referencl'>;
};

type AccountMethod = 'findById' | 'findByIds' | 'findCredentials';

const GUARD_RULES: readonly Rule<GuardedMembers>[] = [
  ...TOKEN_RULES,
  // Both hints map an unknown value to true, so the account counts as disabled.
  [
    'disabled',
    ({ disabled }) => !((disabled as unknown) instanceof Uint8Array),
    'a boolean (a BIT column is a Buffer: disabled: row.blocked[0] !== 0, or row.active[0] !== 1)',
  ],
  [
    'disabled',
    ({ disabled }) => typeof disabled === 'boolean',
    "a boolean (for a number or a text: disabled: String(row.blocked) !== '0', or Number(row.active) !== 1)",
  ],
  [
    'allowedSources',
    ({ allowedSources }) => allowedSources == null || isSourceList(allowedSources),
    'a list of addresses and CIDR ranges, null or absent (for a text column: split it)',
  ],
];

const LOGIN_RULES: readonly Rule<MerchantAccount>[] = [
  ...GUARD_RULES,
  ['email', (account) => isFilledString(account.email), 'a non-empty string'],
  ['phone', (account) => typeof account.phone === 'string', 'a string'],
  ['marchand.statut', (account) => Number.isInteger(account.marchand.statut), 'an integer'],
];

export function accountProblem(value: unknown): string | undefined {
  return problemBy(LOGIN_RULES, value);
}

function malformedAccount(problem: string, cause: unknown = new TypeError(problem)): AuthError {
  return new AuthError('malformed_account', { detail: problem, cause });
}

/** @throws AuthError `malformed_account` unless `value` keeps the contract of `findCredentials` */
export function checkCredentials(value: unknown): asserts value is Credentials | null {
  if (value === null) return;
  const { account, passwordHash, identifier } = (value ?? {}) as Partial<Credentials>;
  let problem = readMembers('findCredentials', () => accountProblem(account));
  if (passwordHash !== null && typeof passwordHash !== 'string') {
    problem ??= 'a passwordHash that is neither a string nor null';
  }
  if (identifier !== undefined && !isFilledString(identifier)) {
    problem ??= 'an identifier that is not a non-empty string';
  }
  if (problem !== undefined) throw malformedAccount(`UserStore.findCredentials returned ${problem}.`);
}

/**
 * Reads each member once: a getter can return another value the second time.
 * @throws AuthError `malformed_account` unless `value` keeps the contract of `UserStore` for this `id`
 */
export function readAccountOf(value: unknown, id: string, method: AccountMethod = 'findById'): GuardedMembers | null {
  if (value === null) return null;
  const members = readMembers(method, () => membersOf(value));
  let problem = problemBy(GUARD_RULES, members);
  if (members?.id !== id) problem ??= 'an account with an id other than that asked for';
  if (problem !== undefined) throw malformedAccount(`UserStore.${method} returned ${problem}.`);
  return members ?? null;
}

/**
 * @returns a function that gives the accounts with an id. When there are none, it gives the accounts of a repeated id,
 *   or one that nobody asked for: that can be this account with a wrong id. Both are refused, so that only this request
 *   fails
 */
export function accountsById(ids: readonly string[], result: unknown): (id: string) => readonly unknown[] {
  const accounts: readonly unknown[] = Array.isArray(result) ? result : [undefined];
  const byId = new Map<unknown, unknown[]>(ids.map((id) => [id, []]));
  const strangers: unknown[] = [];
  for (const account of accounts) {
    if (account !== null) (byId.get(idOf(account)) ?? strangers).push(account);
  }
  const repeated = [...byId.values()].find(({ length }) => length > 1);
  return (id) => {
    const found = byId.get(id) ?? [];
    return found.length > 0 ? found : (repeated ?? strangers.slice(0, 1));
  };
}

/** @throws AuthError `malformed_account` for two accounts */
export function onlyAccountOf<Account>(accounts: readonly Account[]): Account | null {
  if (accounts.length > 1) {
    const fix = 'Return each account once, as a new object.';
    throw malformedAccount(`UserStore.findByIds returned two accounts with one id. ${fix}`);
  }
  return accounts.length === 0 ? null : (accounts as readonly [Account])[0];
}

function idOf(account: unknown): unknown {
  try {
    return (account as Partial<MerchantAccount> | undefined)?.id;
  } catch {
    return undefined;
  }
}

/** `Required`, so that the compiler finds a forgotten member. */
export function membersOf(value: unknown): Required<GuardedMembers> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { id, marchand, disabled, tokensValidAfter, allowedSources } = value as MerchantAccount;
  return {
    id,
    marchand: { referencl: marchand?.referencl },
    disabled,
    tokensValidAfter: tokensValidAfter ?? null,
    allowedSources: allowedSources ?? null,
  };
}

function readMembers<Result>(method: AccountMethod, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    throw malformedAccount(`UserStore.${method} returned an account with a member that throws when it is read.`, cause);
  }
}
