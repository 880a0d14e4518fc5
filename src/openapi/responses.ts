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

/** A login without a password, whose email has no @. */
const EXAMPLE_ERRORS = [fieldError('password', 'required'), fieldError('email', 'format')];

/** The seconds of most errors are random or depend on the throttle, so the examples fix them. */
const EXAMPLE_SECONDS = 5;

/** An address for documentation (RFC 5737). */
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

/** A response of OpenAPI. A host can add its own errors of that status to a copy of it. */
export interface ErrorResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, object>>;
  readonly content: {
    readonly 'application/json': {
      readonly schema: { readonly $ref: string };
      /** The errors, each under its code. */
      readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: object }>>;
    };
  };
}

/** All refusals of one operation that have the same status. OpenAPI describes one response for each status. */
export interface RefusalGroup {
  /** The key in `components.responses` and `components.schemas`, for example `RefusedRequest401`. */
  readonly name: string;
  readonly status: string;
  readonly response: ErrorResponse;
  readonly schema: object;
}

/** Returns the refusals of an operation in the order of their status. */
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
  // A name that begins with the id of an operation can be one that a generator of clients makes from that id.
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

/**
 * Returns true for the 400 of the login, which always has the list. The list is empty when the body as a whole is
 * wrong.
 */
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

/** Describes the headers that all of these errors have. */
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
