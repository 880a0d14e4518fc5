/** The requests that an error can answer: a login, or a request to a route after the guard. */
export type Operation = 'Login' | 'Request';

/** The values that a description names. */
export interface TextValues {
  /** The names of the reference, for example `refercence_cl`, or `walletId or shopId`. */
  readonly reference: string;
  /** The seconds of `Retry-After`. */
  readonly seconds: number | undefined;
  /** The caller's address. `undefined` when the service cannot see it. */
  readonly address: string | undefined;
}

export interface CatalogueEntry {
  /** The HTTP status, which is also the body's `code`. */
  readonly status: number;
  /** The body's `message`. Clients show it to people. */
  readonly message: string;
  /** The body's `description`. */
  readonly description: string | ((values: TextValues) => string);
  /** The operations of the OpenAPI document that can answer with this error. */
  readonly operations: readonly Operation[];
  /** Says when a client may repeat the request: never, after a new login, or after the seconds of `Retry-After`. */
  readonly retry: 'never' | 'login' | 'after';
  /**
   * Selects the `WWW-Authenticate` challenge of RFC 6750 section 3. `realm` only names the realm, for logins and for
   * requests without a token. `error` adds `error="invalid_token"` and the description.
   */
  readonly challenge?: 'realm' | 'error';
  /** The `Allow` header (RFC 9110 section 10.2.1). */
  readonly allow?: string;
  /** Returns the seconds of the `Retry-After` header (RFC 9110 section 10.2.3). */
  readonly retryAfterSeconds?: () => number;
  /** The type of the audit event that reports this refusal. */
  readonly event?: string;
  /** True when the host has to fix the cause. The error then goes to `next(error)`, so that its logging sees it. */
  readonly hostSide?: true;
}
