import { Ajv, type ErrorObject } from 'ajv';
import { ApiError, type ApiErrorCode, type BrokenRule } from '../errors/api-error.js';
import { ownRoutes } from '../openapi/own-routes.js';
import type { NewTransaction, Page } from './transaction.js';

/** The schemas that /openapi.json shows. The description of a member completes the sentence "It must be". */
const schema = ownRoutes.components.schemas.NewTransaction;
const parameters = ownRoutes.paths['/v1/transactions']?.['get']?.parameters ?? [];
const querySchema = {
  type: 'object',
  properties: Object.fromEntries(parameters.map((each) => [each.name, each.schema])),
};

const isNewTransaction = new Ajv({ allErrors: true }).compile<NewTransaction>(schema);

type ListQuery = Page & Partial<Pick<NewTransaction, 'merchant_transaction_id'>>;

const isListQuery = new Ajv({ allErrors: true, coerceTypes: true, useDefaults: true }).compile<ListQuery>(querySchema);

/**
 * Takes the fields of a transaction from the body, except `refercence_cl`, which the guard checks.
 * @throws ApiError `invalid_transaction` that names every field that is wrong
 */
export function parseNewTransaction(body: unknown): NewTransaction {
  if (isNewTransaction(body)) {
    const { merchant_transaction_id, amount, currency } = body;
    return { merchant_transaction_id, amount, currency };
  }
  throw problemOf('invalid_transaction', schema, isNewTransaction.errors);
}

/**
 * Takes the parameters of the list, with their defaults.
 * @throws ApiError `invalid_query` that names every parameter that is wrong, for example because it is there twice
 */
export function parseList(query: object): ListQuery {
  const given: unknown = { ...query };
  if (isListQuery(given)) return given;
  throw problemOf('invalid_query', querySchema, isListQuery.errors);
}

function problemOf(code: ApiErrorCode, { properties }: typeof schema, errors?: ErrorObject[] | null): ApiError {
  const broken = Object.entries(properties).flatMap(([field, { description }]) =>
    (errors ?? [])
      .filter((error) => fieldOf(error) === field)
      .map(({ keyword: rule }) => ({ field, rule, message: `${field} must be ${description}.` })),
  );
  // A body that is not an object breaks the rule of no field.
  return broken.length > 0 ? brokenRules(code, broken) : new ApiError(code);
}

/** Makes the refusal that says once for each wrong field what to send. */
export function brokenRules(code: ApiErrorCode, errors: readonly BrokenRule[]): ApiError {
  const messages = new Set(errors.map(({ message }) => message));
  return new ApiError(code, { description: [...messages].join(' '), errors });
}

function fieldOf({ instancePath, params }: ErrorObject): string {
  const { missingProperty } = params as { readonly missingProperty?: string };
  return missingProperty ?? instancePath.slice(1);
}

/** Returns true if two requests describe the same transaction, so that the second one is a repetition. */
export function isSameRequest(one: NewTransaction, other: NewTransaction): boolean {
  return (['merchant_transaction_id', 'amount', 'currency'] as const).every((field) => one[field] === other[field]);
}
