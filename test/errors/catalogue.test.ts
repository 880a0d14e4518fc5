import { mock } from 'node:test';
import { expect } from 'chai';
import { AuthError } from '../../src/errors/auth-error.js';
import { type AuthErrorCode, catalogue, entryOf } from '../../src/errors/catalogue.js';

type Headers = Readonly<Record<string, string>>;
type Retry = 'never' | 'login' | 'after';

/** The facts of a code: status, message, description, headers, retry and event. */
type Row = readonly [
  status: number,
  message: string,
  description: string,
  headers: Headers,
  retry: Retry,
  event?: string,
];

const REALM = { 'WWW-Authenticate': 'Bearer realm="merchant"' };

function rejected(description: string): Headers {
  return { 'WWW-Authenticate': `Bearer realm="merchant", error="invalid_token", error_description="${description}"` };
}

/** The texts of too_busy depend on a random number. It is 0 here, so the number of seconds is the lowest one. */
const TABLE: Readonly<Record<AuthErrorCode, Row>> = {
  invalid_body: [
    400,
    'Body not valid',
    'The body is not valid. Send the JSON object that this route expects.',
    {},
    'never',
  ],
  wrong_credentials: [
    401,
    'Wrong email or password',
    'The email or the password is wrong. Check both and log in again.',
    REALM,
    'never',
    'login_failed',
  ],
  account_disabled: [
    401,
    'Account disabled',
    'This merchant account is disabled. Ask the operator of this service.',
    REALM,
    'never',
    'login_failed',
  ],
  too_many_attempts: [
    429,
    'Too many failed logins',
    'Too many logins failed. Try again in 60 seconds.',
    { 'Retry-After': '60' },
    'after',
    'login_throttled',
  ],
  too_busy: [
    503,
    'Too many logins at once',
    'Too many logins at once. Try again in 2 seconds.',
    { 'Retry-After': '2' },
    'after',
    'login_shed',
  ],
  method_not_allowed: [405, 'Method not allowed', 'Use POST.', { Allow: 'POST' }, 'never'],
  invalid_url: [
    400,
    'URL not valid',
    'The path of the URL cannot be decoded. Percent-encode it as UTF-8, and write a % as %25.',
    {},
    'never',
  ],
  source_not_allowed: [
    403,
    'Address not allowed',
    'This account may not be used from your address, A. Ask the operator of this service to add it.',
    {},
    'never',
    'source_refused',
  ],
  missing_token: [
    401,
    'Token missing',
    'Send the header Authorization: Bearer <token>.',
    REALM,
    'login',
    'token_refused',
  ],
  invalid_token: [
    401,
    'Token not valid',
    'The token is not valid. Log in again.',
    rejected('The token is not valid. Log in again.'),
    'login',
    'token_refused',
  ],
  expired_token: [
    401,
    'Token expired',
    'The token has expired. Log in again.',
    rejected('The token has expired. Log in again.'),
    'login',
    'token_refused',
  ],
  revoked_token: [
    401,
    'Token revoked',
    'The token is no longer accepted. Log in again.',
    rejected('The token is no longer accepted. Log in again.'),
    'login',
    'token_refused',
  ],
  missing_reference: [
    400,
    'refercence_cl missing',
    'Send refercence_cl: the marchand.referencl of your login.',
    {},
    'never',
    'ownership_refused',
  ],
  invalid_reference: [
    400,
    'refercence_cl not valid',
    'Send refercence_cl once, as a string.',
    {},
    'never',
    'ownership_refused',
  ],
  foreign_reference: [
    403,
    'Not your refercence_cl',
    'This refercence_cl is not yours. Send the marchand.referencl of your login.',
    {},
    'never',
    'ownership_refused',
  ],
  unreadable_body: [
    415,
    'Body cannot be read',
    'Send the body as JSON, with Content-Type: application/json.',
    {},
    'never',
    'ownership_refused',
  ],
  store_unavailable: [
    503,
    'Accounts cannot be checked',
    'Accounts cannot be checked right now. Try again in 5 seconds.',
    { 'Retry-After': '5' },
    'after',
    'store_failed',
  ],
  malformed_account: [
    500,
    'Service misconfigured',
    'The service is misconfigured. Tell its operator.',
    {},
    'never',
    'store_failed',
  ],
};

const CODES = Object.keys(TABLE) as AuthErrorCode[];

/** Makes `Math.random` return `value` for the rest of the test. */
function fixRandom(value: number): void {
  mock.method(Math, 'random', () => value);
}

describe('catalogue', () => {
  afterEach('restore Math.random', () => {
    mock.restoreAll();
  });

  it('contains exactly the errors of the table', () => {
    expect(Object.keys(catalogue)).to.deep.equal(CODES);
  });

  for (const code of CODES) {
    const [status, message, description, headers, retry, event] = TABLE[code];
    it(`answers ${code} with ${status}, which may be repeated: ${retry}, and reports it as ${event ?? 'no event'}`, () => {
      fixRandom(0);
      const error = new AuthError(code);
      expect(error.status).to.equal(status);
      expect(error.headers).to.deep.equal(headers);
      expect(JSON.stringify(error)).to.equal(
        JSON.stringify({ status: 'Error', success: false, code: status, error: code, message, description }),
      );
      expect(entryOf(code)).to.include({ retry });
      expect(entryOf(code).event).to.equal(event);
      expect('Retry-After' in headers).to.equal(retry === 'after');
    });
  }

  it('has another message for each error', () => {
    expect(new Set(CODES.map((code) => entryOf(code).message)).size).to.equal(CODES.length);
  });

  it('spreads the callers of a burst over 2 to 8 seconds', () => {
    const seconds = [0, 0.142, 0.143, 0.5, 0.857, 0.858, 0.999_999].map((random) => {
      fixRandom(random);
      const { headers, description } = new AuthError('too_busy');
      mock.restoreAll();
      expect(description).to.equal(`Too many logins at once. Try again in ${headers['Retry-After'] ?? ''} seconds.`);
      return headers['Retry-After'];
    });
    expect(seconds).to.deep.equal(['2', '2', '3', '5', '7', '8', '8']);
  });

  it('leaves to the host the errors that only the host can fix', () => {
    const hostSide = CODES.filter((code) => new AuthError(code).hostSide);
    expect(hostSide).to.deep.equal(['store_unavailable', 'malformed_account']);
  });

  it('has descriptions that need no escape in a quoted string', () => {
    for (const code of CODES) expect(entryOf(code).description).to.match(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
  });
});
