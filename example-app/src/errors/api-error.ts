const kinds = {
  invalid_transaction: { status: 400, message: 'Invalid request' },
  transaction_conflict: { status: 409, message: 'merchant_transaction_id already used' },
  too_many_requests: { status: 429, message: 'Too many requests' },
  not_found: { status: 404, message: 'Not found' },
  // Not the package's store_unavailable, because a transaction with this answer may have been stored.
  transactions_unavailable: { status: 503, message: 'Transactions unavailable' },
  not_ready: { status: 503, message: 'Not ready' },
  internal_error: { status: 500, message: 'Internal error' },
} as const;

/** An error of this API itself, in the JSON layout that callers know from the login and the guard. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;

  constructor(
    readonly error: keyof typeof kinds,
    readonly description: string,
  ) {
    super(description);
    this.status = kinds[error].status;
  }

  toJSON() {
    return {
      status: 'Error',
      success: false,
      code: this.status,
      error: this.error,
      message: kinds[this.error].message,
      description: this.description,
    };
  }
}
