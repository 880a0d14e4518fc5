import { guardedResponses, openApi } from 'express-merchant-auth/openapi';
import type { DemoAccount } from '../demo-accounts.js';
import type { ApiErrorCode } from '../errors/api-error.js';
import { describeErrors, type ErrorResponse } from './error-responses.js';
import { type Operation, ownRoutes, type Paths } from './own-routes.js';

const OF_TRANSACTIONS = ['too_many_requests', 'transactions_unavailable', 'internal_error'] as const;

/** Lists the errors of this app that each operation can answer, by `operationId`. */
const ERRORS: Readonly<Record<string, readonly ApiErrorCode[]>> = {
  login: ['internal_error'],
  createTransaction: ['invalid_transaction', 'transaction_conflict', ...OF_TRANSACTIONS],
  listTransactions: ['invalid_query', ...OF_TRANSACTIONS],
  findTransaction: ['not_found', ...OF_TRANSACTIONS],
  isReady: ['not_ready'],
};

const HEADERS_TOO_LARGE = { 431: { $ref: '#/components/responses/HeadersTooLarge' } };

/** The OpenAPI 3.1 document of all routes. */
export interface ApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly description: string };
  readonly paths: Paths;
  readonly [member: string]: unknown;
}

/** Creates the document from the package's part and openapi.json. It lists the demo accounts, if there are any. */
export function createDocument(accounts: readonly DemoAccount[]): ApiDocument {
  const { openapi, paths: authPaths, components } = openApi();
  const { paths: ownPaths, components: own, info, ...members } = ownRoutes;
  const paths = mapOperations({ ...authPaths, ...ownPaths }, (operation) => {
    const isGuarded = operation.security === undefined;
    const responses = { ...operation.responses, ...(isGuarded && guardedResponses) };
    const ofPackage = (status: number) => componentOf(components.responses, responses[status]);
    const errors = describeErrors(ERRORS[operation.operationId] ?? [], ofPackage);
    const described = { ...operation, responses: { ...responses, ...errors, ...HEADERS_TOO_LARGE } };
    return operation.operationId === 'login' ? withExample(described, accounts) : described;
  });
  return {
    openapi,
    info: { ...info, description: describe(accounts) },
    ...members,
    paths,
    components: {
      securitySchemes: components.securitySchemes,
      headers: own.headers,
      responses: usedIn(paths, { ...components.responses, ...own.responses }),
      schemas: { ...components.schemas, ...own.schemas },
    },
  };
}

function mapOperations(paths: Paths, map: (operation: Operation) => Operation): Paths {
  const mapMembers = <From, To>(members: Readonly<Record<string, From>>, change: (member: From) => To) =>
    Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member)]));
  return mapMembers(paths, (operations) => mapMembers(operations, map));
}

function componentOf(responses: Readonly<Record<string, object>>, response?: object): ErrorResponse | undefined {
  const { $ref = '' } = (response ?? {}) as { readonly $ref?: string };
  return responses[$ref.split('/').at(-1) ?? ''] as ErrorResponse | undefined;
}

/** Drops the responses of the package that no operation refers to any more, because they were merged. */
function usedIn(paths: Paths, responses: Readonly<Record<string, object>>): object {
  const text = JSON.stringify(paths);
  return Object.fromEntries(
    Object.entries(responses).filter(([name]) => text.includes(`"#/components/responses/${name}"`)),
  );
}

function withExample(login: Operation, [account]: readonly DemoAccount[]): Operation {
  const { email, password } = account ?? { email: 'you@shop.example', password: 'your password' };
  const json = { ...login.requestBody?.content['application/json'], example: { email, password } };
  return { ...login, tags: ['Login'], requestBody: { ...login.requestBody, content: { 'application/json': json } } };
}

function describe(accounts: readonly DemoAccount[]): string {
  if (accounts.length === 0) return ownRoutes.info.description;
  const rows = accounts.map(({ email, password, marchand: { referencl }, disabled }) => {
    return `| ${email} | ${password} | ${referencl} | ${disabled ? 'disabled' : 'active'} |`;
  });
  const head = ['| demo account | password | refercence_cl | state |', '|---|---|---|---|'];
  return [ownRoutes.info.description, '', ...head, ...rows].join('\n');
}
