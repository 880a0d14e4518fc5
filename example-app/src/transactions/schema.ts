import { ApiError } from '../errors/api-error.js';
import type { NewTransaction } from './transaction.js';

interface Rule {
  readonly holds: (value: unknown) => boolean;
  readonly promise: string;
}

const rules: Readonly<Record<keyof NewTransaction, Rule>> = {
  merchant_transaction_id: {
    // Control characters and lone surrogates are stored differently from one database to the next.
    holds: (value) => typeof value === 'string' && /^[^\p{Cc}\p{Cs}]{1,64}$/u.test(value),
    promise: 'a string of 1 to 64 characters, without control characters',
  },
  amount: {
    holds: (value) => Number.isSafeInteger(value) && (value as number) > 0,
    promise: `a whole number from 1 to ${Number.MAX_SAFE_INTEGER}`,
  },
  currency: {
    holds: (value) => typeof value === 'string' && /^[A-Z]{3}$/.test(value),
    promise: 'three capital letters',
  },
};

/**
 * Takes a transaction's fields from a request's body. The merchant's reference is none of them: that is the guard's.
 * @throws ApiError `invalid_transaction` that names every field that is wrong
 */
export function parseNewTransaction(body: unknown): NewTransaction {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ApiError('invalid_transaction', 'The body must be a JSON object.');
  }
  const problems = Object.entries(rules)
    .filter(([field, { holds }]) => !holds((body as Record<string, unknown>)[field]))
    .map(([field, { promise }]) => `${field} must be ${promise}.`);
  if (problems.length > 0) throw new ApiError('invalid_transaction', problems.join(' '));

  const { merchant_transaction_id, amount, currency } = body as NewTransaction;
  return { merchant_transaction_id, amount, currency };
}

/** Returns true when both describe the same transaction, so that one is a repetition of the other. */
export function isSameRequest(one: NewTransaction, other: NewTransaction): boolean {
  return (Object.keys(rules) as (keyof NewTransaction)[]).every((field) => one[field] === other[field]);
}
