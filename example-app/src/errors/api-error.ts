/** One broken rule of a request, in the form of the package's login. */
export interface BrokenRule {
  readonly field: string;
  /** A keyword of JSON Schema, or `exists`. */
  readonly rule: string;
  /** Says in a sentence what to send instead. */
  readonly message: string;
}

interface Kind {
  readonly status: number;
  readonly message: string;
  /** The default, which a route can replace. `N` stands for the seconds of `Retry-After`. */
  readonly description: string;
  readonly retryAfterSeconds?: number;
  /** Present for each error that lists the broken rules. Empty when the body as a whole is wrong. */
  readonly errors?: readonly BrokenRule[];
  readonly headers?: Readonly<Record<string, string>>;
}

const WRONG_LIMIT = 'limit must be a whole number from 1 to 100.';

/** Lists all errors of this app. The answers and the examples in /openapi.json come from this list. */
const kinds = {
  invalid_transaction: {
    status: 400,
    message: 'Invalid request',
    description: 'The body must be a JSON object.',
    errors: [],
  },
  invalid_query: {
    status: 400,
    message: 'Invalid request',
    description: WRONG_LIMIT,
    errors: [{ field: 'limit', rule: 'minimum', message: WRONG_LIMIT }],
  },
  transaction_conflict: {
    status: 409,
    message: 'merchant_transaction_id already used',
    description:
      'You sent this merchant_transaction_id before, with another body. Use a new one for a new transaction.',
  },
  too_many_requests: {
    status: 429,
    message: 'Too many requests',
    description: 'Too many requests in a minute. Try again in N seconds.',
    retryAfterSeconds: 60,
  },
  not_found: { status: 404, message: 'Not found', description: 'There is no such transaction.' },
  method_not_allowed: { status: 405, message: 'Method not allowed', description: 'Use another method.' },
  // This is not the error of the package's account store, because a transaction may have been stored before this answer.
  // The seconds are those of the package.
  transactions_unavailable: {
    status: 503,
    message: 'Transactions unavailable',
    description: 'Transactions cannot be reached right now. Try again later.',
    retryAfterSeconds: 5,
  },
  not_ready: { status: 503, message: 'Not ready', description: 'This process is stopping.', retryAfterSeconds: 5 },
  internal_error: {
    status: 500,
    message: 'Internal error',
    description: 'Something went wrong here. Try again later.',
  },
} as const satisfies Readonly<Record<string, Kind>>;

export type ApiErrorCode = keyof typeof kinds;

/** An error of this app, in the JSON layout of the package. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly description: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly errors: readonly BrokenRule[] | undefined;

  constructor(
    readonly error: ApiErrorCode,
    overrides: Partial<Omit<Kind, 'status' | 'message'>> = {},
  ) {
    const { status, description, retryAfterSeconds, errors, headers }: Kind = { ...kinds[error], ...overrides };
    super(description.replace('N seconds', `${retryAfterSeconds} seconds`));
    this.status = status;
    this.description = this.message;
    this.errors = errors;
    this.headers = {
      ...headers,
      ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
    };
  }

  toJSON() {
    return {
      status: 'Error',
      success: false,
      code: this.status,
      error: this.error,
      message: kinds[this.error].message,
      description: this.description,
      ...(this.errors && { errors: this.errors }),
    };
  }
}
