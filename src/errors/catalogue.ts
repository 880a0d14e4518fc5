import type { CatalogueEntry, TextValues } from './catalogue-entry.js';

/** The default name of the merchant reference (docs/interface.md 1). */
export const REFERENCE_FIELD = 'refercence_cl';

const MISCONFIGURED = {
  status: 500,
  message: 'Service misconfigured',
  description: 'The service is misconfigured. Tell its operator.',
  operations: ['Login', 'Request'],
  retry: 'never',
  hostSide: true,
} as const;

const REFUSED_TOKEN = {
  status: 401,
  operations: ['Request'],
  retry: 'login',
  challenge: 'error',
  event: 'token_refused',
} as const;

/** All errors of this package. */
export const catalogue = {
  invalid_body: {
    status: 400,
    message: 'Body not valid',
    description: 'The body is not valid. Send the JSON object that this route expects.',
    operations: ['Login', 'Request'],
    retry: 'never',
  },
  wrong_credentials: {
    status: 401,
    message: 'Wrong email or password',
    description: 'The email or the password is wrong. Check both and log in again.',
    operations: ['Login'],
    retry: 'never',
    challenge: 'realm',
    event: 'login_failed',
  },
  account_disabled: {
    status: 401,
    message: 'Account disabled',
    description: 'This merchant account is disabled. Ask the operator of this service.',
    operations: ['Login'],
    retry: 'never',
    challenge: 'realm',
    event: 'login_failed',
  },
  too_many_attempts: {
    status: 429,
    message: 'Too many failed logins',
    description: ({ seconds }) => `Too many logins failed. Try again in ${seconds} seconds.`,
    operations: ['Login'],
    retry: 'after',
    // A default: the throttle gives the seconds.
    retryAfterSeconds: () => 60,
    event: 'login_throttled',
  },
  too_busy: {
    status: 503,
    message: 'Too many logins at once',
    description: ({ seconds }) => `Too many logins at once. Try again in ${seconds} seconds.`,
    operations: ['Login'],
    retry: 'after',
    // Random: the callers of a burst must not come back together.
    retryAfterSeconds: () => 2 + Math.floor(Math.random() * 7),
    event: 'login_shed',
  },
  method_not_allowed: {
    status: 405,
    message: 'Method not allowed',
    description: 'Use POST.',
    // The document has only POST, which never gives this answer.
    operations: [],
    retry: 'never',
    allow: 'POST',
  },
  invalid_url: {
    status: 400,
    message: 'URL not valid',
    description: 'The path of the URL cannot be decoded. Percent-encode it as UTF-8, and write a % as %25.',
    // Express decodes only path parameters, and the login has none.
    operations: ['Request'],
    retry: 'never',
  },
  source_not_allowed: {
    status: 403,
    message: 'Address not allowed',
    description: ({ address }) =>
      address === undefined
        ? 'This account may be used from certain addresses only, and the service cannot see yours. Tell its operator.'
        : `This account may not be used from your address, ${address}. Ask the operator of this service to add it.`,
    operations: ['Login', 'Request'],
    retry: 'never',
    event: 'source_refused',
  },
  missing_token: {
    status: 401,
    message: 'Token missing',
    description: 'Send the header Authorization: Bearer <token>.',
    operations: ['Request'],
    retry: 'login',
    challenge: 'realm',
    event: 'token_refused',
  },
  invalid_token: { ...REFUSED_TOKEN, message: 'Token not valid', description: 'The token is not valid. Log in again.' },
  expired_token: { ...REFUSED_TOKEN, message: 'Token expired', description: 'The token has expired. Log in again.' },
  revoked_token: {
    ...REFUSED_TOKEN,
    message: 'Token revoked',
    description: 'The token is no longer accepted. Log in again.',
  },
  missing_reference: {
    status: 400,
    message: 'Reference missing',
    description: ({ reference }) => `Send ${reference}: the marchand.referencl of your login.`,
    operations: ['Request'],
    retry: 'never',
    event: 'ownership_refused',
  },
  invalid_reference: {
    status: 400,
    message: 'Reference not valid',
    description: ({ reference }) => `Send ${reference} once, as a string.`,
    operations: ['Request'],
    retry: 'never',
    event: 'ownership_refused',
  },
  foreign_reference: {
    status: 403,
    message: 'Not your reference',
    description: ({ reference }) => `This ${reference} is not yours. Send the marchand.referencl of your login.`,
    operations: ['Request'],
    retry: 'never',
    event: 'ownership_refused',
  },
  unreadable_body: {
    status: 415,
    message: 'Body cannot be read',
    description: 'Send the body as JSON, with Content-Type: application/json.',
    operations: ['Request'],
    retry: 'never',
    event: 'ownership_refused',
  },
  store_unavailable: {
    status: 503,
    message: 'Accounts cannot be checked',
    description: ({ seconds }) => `Accounts cannot be checked right now. Try again in ${seconds} seconds.`,
    operations: ['Login', 'Request'],
    retry: 'after',
    retryAfterSeconds: () => 5,
    event: 'store_failed',
    hostSide: true,
  },
  lost_body: { ...MISCONFIGURED, event: 'ownership_refused' },
  malformed_account: { ...MISCONFIGURED, event: 'store_failed' },
} as const satisfies Record<string, CatalogueEntry>;

/** The closed union of error codes. */
export type AuthErrorCode = keyof typeof catalogue;

export type RefusalEvent = Extract<(typeof catalogue)[AuthErrorCode], { readonly event: string }>['event'];

/** The codes that one audit event reports. */
export type CodeOfEvent<Event extends string> = {
  [Code in AuthErrorCode]: (typeof catalogue)[Code] extends { readonly event: Event } ? Code : never;
}[AuthErrorCode];

export function describe(code: AuthErrorCode, values: TextValues): string {
  const { description } = entryOf(code);
  return typeof description === 'string' ? description : description(values);
}

export function entryOf(code: AuthErrorCode): CatalogueEntry & { readonly event?: RefusalEvent } {
  return catalogue[code];
}
