import { ApiError, type ApiErrorCode } from '../errors/api-error.js';

/** The members of an OpenAPI response that the errors of the package and of this app use. */
export interface ErrorResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, object>>;
  readonly content: { readonly 'application/json': { readonly schema: object; readonly examples: object } };
}

/** Names the headers of an answer that the error itself does not set. */
const MORE_HEADERS: Readonly<Partial<Record<ApiErrorCode, readonly string[]>>> = {
  too_many_requests: ['RateLimit', 'RateLimit-Policy'],
  not_ready: ['Cache-Control'],
};

/** Returns the responses for these errors by status. `ofPackage` returns the package's response with the same status. */
export function describeErrors(
  codes: readonly ApiErrorCode[],
  ofPackage: (status: number) => ErrorResponse | undefined,
): Readonly<Record<string, ErrorResponse>> {
  const errors = codes.map((code) => new ApiError(code));
  const statuses = [...new Set(errors.map(({ status }) => status))];
  return Object.fromEntries(
    statuses.map((status) => {
      const own = describeStatus(errors.filter((error) => error.status === status));
      const other = ofPackage(status);
      return [status, other === undefined ? own : merge(other, own)];
    }),
  );
}

function describeStatus(errors: readonly ApiError[]): ErrorResponse {
  const [{ error: first, status, headers, errors: listed }] = errors as [ApiError];
  const names = [...Object.keys(headers), ...(MORE_HEADERS[first] ?? [])];
  const codes = errors.map(({ error }) => error);
  const rows = errors.map((error) => `- \`${error.error}\`: ${error.toJSON().message}. ${error.description}`);
  return {
    description: rows.join('\n'),
    ...(names.length > 0 && {
      headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    }),
    content: {
      'application/json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/AuthError' },
            { type: 'object', properties: { code: { const: status }, error: { enum: codes } } },
            ...(listed === undefined ? [] : [{ $ref: '#/components/schemas/BrokenRules' }]),
          ],
        },
        examples: Object.fromEntries(
          errors.map((error) => [error.error, { summary: error.toJSON().message, value: error.toJSON() }]),
        ),
      },
    },
  };
}

/** Merges two responses with one status, because OpenAPI describes one response for each status. */
function merge(other: ErrorResponse, own: ErrorResponse): ErrorResponse {
  const [theirs, ours] = [other.content['application/json'], own.content['application/json']];
  const shared = Object.entries(own.headers ?? {}).filter(([name]) => name in (other.headers ?? {}));
  return {
    description: `${other.description}\n\nOr, from the operation itself:\n\n${own.description}`,
    ...(shared.length > 0 && { headers: Object.fromEntries(shared) }),
    content: {
      'application/json': {
        schema: { oneOf: [theirs.schema, ours.schema] },
        examples: { ...theirs.examples, ...ours.examples },
      },
    },
  };
}
