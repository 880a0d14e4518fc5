/** What one row of the catalogue says about an error. */
interface CatalogueEntry {
  /** HTTP status, also the body's `code`. */
  readonly status: number;
  /** The body's `message`: the kind of answer, in a few words. */
  readonly message: string;
  /** The body's `description`: what happened and what to do, in a sentence. `N` stands for seconds. */
  readonly description: string;
  /**
   * The `WWW-Authenticate` challenge of RFC 6750 section 3: `realm` names the realm alone (nothing was presented, or a
   * login failed); `error` adds `error="invalid_token"` and the description.
   */
  readonly challenge?: 'realm' | 'error';
  /** The `Retry-After` header of RFC 9110 section 10.2.3, in seconds. */
  readonly retryAfterSeconds?: number;
  /** The host has to mend it: such an error goes to `next(error)`, where the host's logging sees it. */
  readonly hostSide?: true;
}

/**
 * Every answer of this package that is not a success. The codes, the bodies and the headers all come from here; where a
 * description depends on the request, the one here is the general form.
 */
export const catalogue = {
  invalid_body: {
    status: 400,
    message: 'Invalid request',
    description: 'The body is not valid.',
  },
  wrong_credentials: {
    status: 401,
    message: 'Login failed',
    description: 'Wrong email or password.',
    challenge: 'realm',
  },
  account_disabled: {
    status: 401,
    message: 'Login failed',
    description: 'This merchant account is disabled.',
    challenge: 'realm',
  },
  too_many_attempts: {
    status: 429,
    message: 'Login failed',
    description: 'Too many failed logins. Try again in N seconds.',
    retryAfterSeconds: 60,
  },
  too_busy: {
    status: 503,
    message: 'Login failed',
    description: 'Too many logins at once. Try again in N seconds.',
    retryAfterSeconds: 5,
  },
  missing_token: {
    status: 401,
    message: 'Unauthorized',
    description: 'Send the header Authorization: Bearer <token>.',
    challenge: 'realm',
  },
  invalid_token: {
    status: 401,
    message: 'Unauthorized',
    description: 'The token is not valid.',
    challenge: 'error',
  },
  expired_token: {
    status: 401,
    message: 'Unauthorized',
    description: 'The token has expired. Log in again.',
    challenge: 'error',
  },
  revoked_token: {
    status: 401,
    message: 'Unauthorized',
    description: 'The token is no longer accepted. Log in again.',
    challenge: 'error',
  },
  missing_reference: {
    status: 400,
    message: 'Invalid request',
    description: 'refercence_cl is required.',
  },
  invalid_reference: {
    status: 400,
    message: 'Invalid request',
    description: 'refercence_cl must be given once, as a string.',
  },
  foreign_reference: {
    status: 403,
    message: 'Forbidden',
    description: "refercence_cl is not this account's own.",
  },
  unreadable_body: {
    status: 415,
    message: 'Unsupported media type',
    description: 'The body cannot be read here.',
  },
  store_unavailable: {
    status: 503,
    message: 'Service unavailable',
    description: 'Accounts cannot be checked right now. Try again later.',
    retryAfterSeconds: 5,
    hostSide: true,
  },
  malformed_account: {
    status: 500,
    message: 'Internal error',
    description: 'The service is misconfigured.',
    hostSide: true,
  },
} as const satisfies Record<string, CatalogueEntry>;

/** The closed union of error codes. Switch on these; descriptions may change. */
export type AuthErrorCode = keyof typeof catalogue;

/** The row of one code, with the members that it may lack. */
export function entryOf(code: AuthErrorCode): CatalogueEntry {
  return catalogue[code];
}
