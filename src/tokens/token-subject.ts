import { types } from 'node:util';
import { isFilledString } from '../base/check-options.js';

/** The members of an account that a token holds. */
export interface TokenSubject {
  /** Becomes the token's `sub`. */
  readonly id: string;
  /** Accounts have `statut`, but no token holds it. */
  readonly marchand: { readonly referencl: string; readonly statut?: number };
  /** Becomes the token's `valid_after`: the token works although older ones were revoked. */
  readonly tokensValidAfter?: Date | null;
}

export type Rule<Account> = readonly [member: string, holds: (account: Account) => boolean, requirement: string];

/** For `tokens.issue`. The account check of `store` adds rules on members that no token holds. */
export const TOKEN_RULES: readonly Rule<TokenSubject>[] = [
  ['marchand.referencl', (account) => isFilledString(account.marchand?.referencl), 'a non-empty string'],
  ['id', (account) => isFilledString(account.id), 'a non-empty string (for an integer key: String(id))'],
  ['tokensValidAfter', (account) => isInstant(account.tokensValidAfter), 'a valid Date, null or absent'],
];

function isInstant(value: unknown): boolean {
  return value == null || (types.isDate(value) && !Number.isNaN(value.getTime()));
}

const NO_OBJECT = 'no account object (return null when there is none)';

/** Returns a part of a sentence, or `undefined` for a valid account. */
export function problemBy<Account>(rules: readonly Rule<Account>[], value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return NO_OBJECT;
  const broken = rules.find(([, holds]) => !holds(value as Account));
  return broken && `an account whose ${broken[0]} is not ${broken[2]}`;
}
