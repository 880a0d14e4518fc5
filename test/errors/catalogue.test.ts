import { mock } from 'node:test';
import { expect } from 'chai';
import { AuthError } from '../../src/errors/auth-error.js';
import { type AuthErrorCode, catalogue, entryOf } from '../../src/errors/catalogue.js';

type Headers = Readonly<Record<string, string>>;
type Retry = 'never' | 'login' | 'after';

interface Row {
  readonly code: AuthErrorCode;
  readonly status: number;
  readonly message: string;
  readonly description: string;
  readonly headers: Headers;
  readonly retry: Retry;
  readonly event: string | undefined;
}

const REALM = { 'WWW-Authenticate': 'Bearer realm="merchant"' };

function rejected(description: string): Headers {
  return { 'WWW-Authenticate': `Bearer realm="merchant", error="invalid_token", error_description="${description}"` };
}

/** The texts of too_busy depend on a random number. It is 0 here, so the number of seconds is the lowest one. */
const TABLE: readonly Row[] = [
  {
    code: 'invalid_body',
    status: 400,
    message: 'Body not valid',
    description: 'The body is not valid. Send the JSON object that this route expects.',
    headers: {},
    retry: 'never',
    event: undefined,
  },
  {
    code: 'wrong_credentials',
    status: 401,
    message: 'Wrong email or password',
    description: 'The email or the password is wrong. Check both and log in again.',
    headers: REALM,
    retry: 'never',
    event: 'login_failed',
  },
  {
    code: 'account_disabled',
    status: 401,
    message: 'Account disabled',
    description: 'This merchant account is disabled. Ask the operator of this service.',
    headers: REALM,
    retry: 'never',
    event: 'login_failed',
  },
  {
    code: 'too_many_attempts',
    status: 429,
    message: 'Too many failed logins',
    description: 'Too many logins failed. Try again in 60 seconds.',
    headers: { 'Retry-After': '60' },
    retry: 'after',
    event: 'login_throttled',
  },
  {
    code: 'too_busy',
    status: 503,
    message: 'Too many logins at once',
    description: 'Too many logins at once. Try again in 2 seconds.',
    headers: { 'Retry-After': '2' },
    retry: 'after',
    event: 'login_shed',
  },
  {
    code: 'invalid_url',
    status: 400,
    message: 'URL not valid',
    description: 'The path of the URL cannot be decoded. Percent-encode it as UTF-8, and write a % as %25.',
    headers: {},
    retry: 'never',
    event: undefined,
  },
  {
    code: 'missing_token',
    status: 401,
    message: 'Token missing',
    description: 'Send the header Authorization: Bearer <token>.',
    headers: REALM,
    retry: 'login',
    event: 'token_refused',
  },
  {
    code: 'invalid_token',
    status: 401,
    message: 'Token not valid',
    description: 'The token is not valid. Log in again.',
    headers: rejected('The token is not valid. Log in again.'),
    retry: 'login',
    event: 'token_refused',
  },
  {
    code: 'expired_token',
    status: 401,
    message: 'Token expired',
    description: 'The token has expired. Log in again.',
    headers: rejected('The token has expired. Log in again.'),
    retry: 'login',
    event: 'token_refused',
  },
  {
    code: 'revoked_token',
    status: 401,
    message: 'Token revoked',
    description: 'The token is no longer accepted. Log in again.',
    headers: rejected('The token is no longer accepted. Log in again.'),
    retry: 'login',
    event: 'token_refused',
  },
  {
    code: 'missing_reference',
    status: 400,
    message: 'refercence_cl missing',
    description: 'Send refercence_cl: the marchand.referencl of your login.',
    headers: {},
    retry: 'never',
    event: 'ownership_refused',
  },
  {
    code: 'invalid_reference',
    status: 400,
    message: 'refercence_cl not valid',
    description: 'Send refercence_cl once, as a string.',
    headers: {},
    retry: 'never',
    event: 'ownership_refused',
  },
  {
    code: 'foreign_reference',
    status: 403,
    message: 'Not your refercence_cl',
    description: 'This refercence_cl is not yours. Send the marchand.referencl of your login.',
    headers: {},
    retry: 'never',
    event: 'ownership_refused',
  },
  {
    code: 'unreadable_body',
    status: 415,
    message: 'Body cannot be read',
    description: 'Send the body as JSON, with Content-Type: application/json.',
    headers: {},
    retry: 'never',
    event: 'ownership_refused',
  },
  {
    code: 'store_unavailable',
    status: 503,
    message: 'Accounts cannot be checked',
    description: 'Accounts cannot be checked right now. Try again in 5 seconds.',
    headers: { 'Retry-After': '5' },
    retry: 'after',
    event: 'store_failed',
  },
  {
    code: 'malformed_account',
    status: 500,
    message: 'Service misconfigured',
    description: 'The service is misconfigured. Tell its operator.',
    headers: {},
    retry: 'never',
    event: 'store_failed',
  },
];

/** Makes `Math.random` return `value` for the rest of the test. */
function fixRandom(value: number): void {
  mock.method(Math, 'random', () => value);
}

describe('catalogue', () => {
  afterEach('restore Math.random', () => {
    mock.restoreAll();
  });

  it('contains exactly the errors of the table', () => {
    expect(Object.keys(catalogue)).to.deep.equal(TABLE.map(({ code }) => code));
  });

  for (const { code, status, message, description, headers, retry, event } of TABLE) {
    it(`answers ${code} with ${status}, its texts and its headers`, () => {
      fixRandom(0);
      const error = new AuthError(code);
      expect(error.status).to.equal(status);
      expect(error.headers).to.deep.equal(headers);
      expect(JSON.stringify(error)).to.equal(
        JSON.stringify({ status: 'Error', success: false, code: status, error: code, message, description }),
      );
    });

    it(`says that ${code} may be repeated: ${retry}, and reports it as ${event ?? 'no event'}`, () => {
      expect(entryOf(code).retry).to.equal(retry);
      expect(entryOf(code).event).to.equal(event);
      expect('Retry-After' in headers).to.equal(retry === 'after');
    });
  }

  it('has another message for each error', () => {
    expect(new Set(TABLE.map(({ message }) => message)).size).to.equal(TABLE.length);
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
    const hostSide = TABLE.map(({ code }) => code).filter((code) => new AuthError(code).hostSide);
    expect(hostSide).to.deep.equal(['store_unavailable', 'malformed_account']);
  });

  it('has descriptions that need no escape in a quoted string', () => {
    for (const { code } of TABLE) expect(entryOf(code).description).to.match(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
  });
});
