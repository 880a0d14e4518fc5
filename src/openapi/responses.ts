import { AuthError, type AuthErrorOptions } from '../errors/auth-error.js';
import type { Operation } from '../errors/catalogue-entry.js';
import { type AuthErrorCode, catalogue, entryOf } from '../errors/catalogue.js';
import { fieldError } from '../login/broken-rules.js';
import { having } from './schemas.js';

const REPEAT = {
  never: 'Do not repeat the request unchanged.',
  login: 'Log in again, then repeat the request once.',
  after: 'Repeat the request after the seconds of Retry-After.',
} as const;

const NOTHING_RAN = 'The request was refused before anything ran, so nothing is done twice when it is repeated.';

const BROKEN_RULES = having({
  errors: {
    type: 'array',
    items: { $ref: '#/components/schemas/FieldError' },
    description: 'The broken rules. Empty when the body as a whole is wrong.',
  },
});

const EXAMPLE_ERRORS = [fieldError('password', 'required'), fieldError('email', 'format')];

/** Most seconds are random or depend on the throttle. */
const EXAMPLE_SECONDS = 5;

/** For documentation (RFC 5737). */
const EXAMPLE_ADDRESS = '203.0.113.7';

const HEADERS: Readonly<Record<string, (values: readonly unknown[]) => object>> = {
  'WWW-Authenticate': (values) => ({
    description: 'The challenge of RFC 6750 section 3.',
    schema: { type: 'string', enum: [...new Set(values)] },
  }),
  'Retry-After': () => ({
    description: 'The seconds to wait.',
    schema: { type: 'integer', minimum: 1 },
    example: EXAMPLE_SECONDS,
  }),
};

/** A response of OpenAPI. A host can add its errors of that status to a copy. */
export interface ErrorResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, object>>;
  readonly content: {
    readonly 'application/json': {
      readonly schema: { readonly $ref: string };
      /** By code. */
      readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: object }>>;
    };
  };
}

/** The refusals of an operation with one status: OpenAPI has one response for each. */
export interface RefusalGroup {
  /** The key in `components`, for example `RefusedRequest401`. */
  readonly name: string;
  readonly status: string;
  readonly response: ErrorResponse;
  readonly schema: object;
}

/** Returns the refusals in the order of their status. */
export function refusalsOf(operation: Operation, realm: string, referenceName: string): readonly RefusalGroup[] {
  const codesOf = new Map<number, AuthErrorCode[]>();
  for (const code of Object.keys(catalogue) as AuthErrorCode[]) {
    const { status, operations } = entryOf(code);
    if (operations.includes(operation)) codesOf.set(status, [...(codesOf.get(status) ?? []), code]);
  }
  const groups = [...codesOf].sort(([one], [other]) => one - other);
  return groups.map(([status, codes]) =>
    describeGroup(operation, status, codes, { realm, referenceNames: [referenceName] }),
  );
}

function describeGroup(
  operation: Operation,
  status: number,
  codes: readonly AuthErrorCode[],
  texts: AuthErrorOptions,
): RefusalGroup {
  // Generators of clients make names that begin with the id of the operation.
  const name = `Refused${operation}${status}`;
  const errors = codes.map((code) => exampleError(operation, code, texts));
  const rows = codes.map((code) => `- \`${code}\`: ${entryOf(code).message}. ${REPEAT[entryOf(code).retry]}`);
  const examples = errors.map((error) => [error.code, { summary: error.message, value: error.toJSON() }] as const);
  return {
    name,
    status: String(status),
    response: {
      description: [...rows, '', NOTHING_RAN].join('\n'),
      ...headersOf(errors),
      content: {
        'application/json': {
          schema: { $ref: `#/components/schemas/${name}` },
          examples: Object.fromEntries(examples),
        },
      },
    },
    schema: schemaOf(operation, status, codes),
  };
}

function schemaOf(operation: Operation, status: number, codes: readonly AuthErrorCode[]): object {
  return {
    allOf: [
      { $ref: '#/components/schemas/AuthError' },
      { type: 'object', properties: { code: { const: status }, error: { type: 'string', enum: codes } } },
      ...(listsBrokenRules(operation, codes) ? [BROKEN_RULES] : []),
    ],
  };
}

/** The 400 of the login always has the list, empty when the body as a whole is wrong. */
function listsBrokenRules(operation: Operation, codes: readonly AuthErrorCode[]): boolean {
  return operation === 'Login' && codes.includes('invalid_body');
}

function exampleError(operation: Operation, code: AuthErrorCode, texts: AuthErrorOptions): AuthError {
  const options: AuthErrorOptions = {
    ...texts,
    ...(entryOf(code).retryAfterSeconds && { retryAfterSeconds: EXAMPLE_SECONDS }),
    ...(code === 'source_not_allowed' && { address: EXAMPLE_ADDRESS }),
  };
  if (!listsBrokenRules(operation, [code])) return new AuthError(code, options);
  const description = EXAMPLE_ERRORS.map(({ message }) => message).join(' ');
  return new AuthError(code, { ...options, description, errors: EXAMPLE_ERRORS });
}

/** Describes those that all of the errors have. */
function headersOf(errors: readonly AuthError[]): Pick<ErrorResponse, 'headers'> {
  const valuesOf = (name: string) => errors.map(({ headers }) => headers[name]);
  const described = Object.entries(HEADERS).filter(([name]) => !valuesOf(name).includes(undefined));
  if (described.length === 0) return {};
  return {
    headers: Object.fromEntries(
      described.map(([name, describe]) => [name, { required: true, ...describe(valuesOf(name)) }]),
    ),
  };
}
