/** A login, or a request to a route after the guard. */
export type Operation = 'Login' | 'Request';

export interface TextValues {
  /** For example `walletId or shopId`. */
  readonly reference: string;
  /** Those of `Retry-After`. */
  readonly seconds: number | undefined;
  /** `undefined` when the service cannot see it. */
  readonly address: string | undefined;
}

export interface CatalogueEntry {
  /** Also the body's `code`. */
  readonly status: number;
  /** Clients show it to people. */
  readonly message: string;
  readonly description: string | ((values: TextValues) => string);
  /** Those that have the error in the OpenAPI document. */
  readonly operations: readonly Operation[];
  /** Says when a client may repeat the request. */
  readonly retry: 'never' | 'login' | 'after';
  /**
   * RFC 6750 section 3: `realm` names only the realm, for a login and a missing token. `error` adds `invalid_token` and
   * the description.
   */
  readonly challenge?: 'realm' | 'error';
  /** RFC 9110 section 10.2.1. */
  readonly allow?: string;
  /** RFC 9110 section 10.2.3. */
  readonly retryAfterSeconds?: () => number;
  readonly event?: string;
  /** The host has to fix the cause, so its logging gets the error through `next(error)`. */
  readonly hostSide?: true;
}
