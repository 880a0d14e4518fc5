import { expect } from 'chai';
import { AuthError } from '../../src/errors/auth-error.js';
import { type AuthErrorCode, catalogue, entryOf } from '../../src/errors/catalogue.js';

const REALM = { 'WWW-Authenticate': 'Bearer realm="merchant"' };
const INVALID = 'Bearer realm="merchant", error="invalid_token", error_description=';

type Row = readonly [
  code: AuthErrorCode,
  status: number,
  message: string,
  description: string,
  headers: Readonly<Record<string, string>>,
];

const TABLE: readonly Row[] = [
  ['invalid_body', 400, 'Invalid request', 'The body is not valid.', {}],
  ['wrong_credentials', 401, 'Login failed', 'Wrong email or password.', REALM],
  ['account_disabled', 401, 'Login failed', 'This merchant account is disabled.', REALM],
  [
    'too_many_attempts',
    429,
    'Login failed',
    'Too many failed logins. Try again in 60 seconds.',
    { 'Retry-After': '60' },
  ],
  ['too_busy', 503, 'Login failed', 'Too many logins at once. Try again in 5 seconds.', { 'Retry-After': '5' }],
  ['missing_token', 401, 'Unauthorized', 'Send the header Authorization: Bearer <token>.', REALM],
  [
    'invalid_token',
    401,
    'Unauthorized',
    'The token is not valid.',
    { 'WWW-Authenticate': `${INVALID}"The token is not valid."` },
  ],
  [
    'expired_token',
    401,
    'Unauthorized',
    'The token has expired. Log in again.',
    { 'WWW-Authenticate': `${INVALID}"The token has expired. Log in again."` },
  ],
  [
    'revoked_token',
    401,
    'Unauthorized',
    'The token is no longer accepted. Log in again.',
    { 'WWW-Authenticate': `${INVALID}"The token is no longer accepted. Log in again."` },
  ],
  ['missing_reference', 400, 'Invalid request', 'refercence_cl is required.', {}],
  ['invalid_reference', 400, 'Invalid request', 'refercence_cl must be given once, as a string.', {}],
  ['foreign_reference', 403, 'Forbidden', "refercence_cl is not this account's own.", {}],
  ['unreadable_body', 415, 'Unsupported media type', 'The body cannot be read here.', {}],
  [
    'store_unavailable',
    503,
    'Service unavailable',
    'Accounts cannot be checked right now. Try again later.',
    { 'Retry-After': '5' },
  ],
  ['malformed_account', 500, 'Internal error', 'The service is misconfigured.', {}],
];

describe('catalogue', () => {
  it('holds exactly the errors of the table', () => {
    expect(Object.keys(catalogue)).to.have.members(TABLE.map(([code]) => code));
  });

  for (const [code, status, message, description, headers] of TABLE) {
    it(`answers ${code} with ${status} and its own words and headers`, () => {
      const error = new AuthError(code);
      expect(error.status).to.equal(status);
      expect(error.headers).to.deep.equal(headers);
      expect(JSON.stringify(error)).to.equal(
        JSON.stringify({ status: 'Error', success: false, code: status, error: code, message, description }),
      );
    });
  }

  it('leaves to the host what only the host can mend', () => {
    const hostSide = TABLE.map(([code]) => code).filter((code) => entryOf(code).hostSide);
    expect(hostSide).to.deep.equal(['store_unavailable', 'malformed_account']);
  });

  it('has descriptions that fit into a quoted string as they are', () => {
    for (const [code] of TABLE) expect(entryOf(code).description).to.match(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
  });
});
