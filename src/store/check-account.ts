import { types } from 'node:util';
import { AuthError } from '../errors/auth-error.js';
import type { Credentials, MerchantAccount } from './user-store.js';

type Rule = readonly [member: string, holds: (account: MerchantAccount) => boolean, promise: string];

/** Returns true for a non-empty string. */
export function isFilledString(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isInstant(value: unknown): boolean {
  return value == null || (types.isDate(value) && !Number.isNaN(value.getTime()));
}

/** The members of an account that the guard uses. */
const GUARD_RULES: readonly Rule[] = [
  ['id', (account) => isFilledString(account.id), 'a non-empty string (for an integer key: String(id))'],
  ['marchand.referencl', (account) => isFilledString(account.marchand?.referencl), 'a non-empty string'],
  ['disabled', (account) => typeof account.disabled === 'boolean', 'a boolean (for a 0/1 column: disabled === 1)'],
  ['tokensValidAfter', (account) => isInstant(account.tokensValidAfter), 'a valid Date, null or absent'],
];

/** The members of an account that login uses: all. */
const LOGIN_RULES: readonly Rule[] = [
  ...GUARD_RULES,
  ['email', (account) => isFilledString(account.email), 'a non-empty string'],
  ['phone', (account) => typeof account.phone === 'string', 'a string'],
  ['marchand.statut', (account) => Number.isInteger(account.marchand.statut), 'an integer'],
];

/** Returns a sentence part that names the broken member; `undefined` for an account that keeps every rule. */
export function accountProblem(value: unknown, rules: readonly Rule[] = LOGIN_RULES): string | undefined {
  if (typeof value !== 'object' || value === null) return 'no account object (return null when there is none)';
  const broken = rules.find(([, holds]) => !holds(value as MerchantAccount));
  return broken && `an account whose ${broken[0]} is not ${broken[2]}`;
}

/** Makes the 500 for an account or a store that breaks the contract. Its `detail` names the member. */
export function malformedAccount(problem: string): AuthError {
  return new AuthError('malformed_account', { detail: problem, cause: new TypeError(problem) });
}

/** @throws AuthError `malformed_account` unless `value` is a result that `findCredentials` promises */
export function checkCredentials(value: unknown): asserts value is Credentials | null {
  if (value === null) return;
  const { account, passwordHash, identifier } = (value ?? {}) as Partial<Credentials>;
  let problem = accountProblem(account);
  if (passwordHash !== null && typeof passwordHash !== 'string') {
    problem ??= 'a passwordHash that is neither a string nor null';
  }
  if (identifier !== undefined && !isFilledString(identifier)) {
    problem ??= 'an identifier that is not a non-empty string';
  }
  if (problem !== undefined) throw malformedAccount(`UserStore.findCredentials returned ${problem}.`);
}

/** @throws AuthError `malformed_account` unless `value` is a result that `findById` promises for `id` */
export function checkFound(value: unknown, id: string): asserts value is MerchantAccount | null {
  if (value === null) return;
  let problem = accountProblem(value, GUARD_RULES);
  if (problem === undefined && (value as MerchantAccount).id !== id)
    problem = 'an account with another id than asked for';
  if (problem !== undefined) throw malformedAccount(`UserStore.findById returned ${problem}.`);
}
