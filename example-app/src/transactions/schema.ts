import { Ajv, type ErrorObject } from 'ajv';
import { ApiError } from '../errors/api-error.js';
import { ownRoutes } from '../openapi/own-routes.js';
import type { NewTransaction } from './transaction.js';

/** The schema that /openapi.json shows. The description of a member completes the sentence "It must be". */
const schema = ownRoutes.components.schemas.NewTransaction;

const isNewTransaction = new Ajv({ allErrors: true }).compile<NewTransaction>(schema);

/**
 * Takes the fields of a transaction from the body, except `refercence_cl`, which the guard checks.
 * @throws ApiError `invalid_transaction` that names every field that is wrong
 */
export function parseNewTransaction(body: unknown): NewTransaction {
  if (isNewTransaction(body)) {
    const { merchant_transaction_id, amount, currency } = body;
    return { merchant_transaction_id, amount, currency };
  }
  const wrong = new Set(isNewTransaction.errors?.map(fieldOf));
  const problems = Object.entries(schema.properties)
    .filter(([field]) => wrong.has(field))
    .map(([field, { description }]) => `${field} must be ${description}.`);
  // A body that is not an object breaks the rule of no field.
  throw new ApiError('invalid_transaction', problems.length > 0 ? { description: problems.join(' ') } : {});
}

function fieldOf({ instancePath, params }: ErrorObject): string {
  const { missingProperty } = params as { readonly missingProperty?: string };
  return missingProperty ?? instancePath.slice(1);
}

/** Returns true if two requests describe the same transaction, so that the second one is a repetition. */
export function isSameRequest(one: NewTransaction, other: NewTransaction): boolean {
  return (['merchant_transaction_id', 'amount', 'currency'] as const).every((field) => one[field] === other[field]);
}
