import { expect } from 'chai';
import type { AuthErrorCode } from '../../src/index.js';
import type { Answer } from './http.js';

interface Expected {
  readonly code: number;
  readonly error: string;
  readonly message: string;
  readonly description: string;
  readonly errors?: readonly object[];
}

type Headers = Readonly<Record<string, string>>;

/** Asserts an error answer exactly: its status, its body and the headers of the error. */
export function expectError(answer: Answer, expected: Expected, headers: Headers = {}): void {
  const { code, error, message, description, errors } = expected;
  const body = { status: 'Error', success: false, code, error, message, description, ...(errors && { errors }) };
  expect(answer.text).to.equal(JSON.stringify(body));
  expect(answer.status).to.equal(code);
  expect(answer.headers['content-type']).to.equal('application/json; charset=utf-8');
  expect(answer.headers['www-authenticate']).to.equal(headers['www-authenticate']);
  expect(answer.headers['retry-after']).to.equal(headers['retry-after']);
}

type Row = readonly [status: number, message: string, description: string, headers?: Headers];

const CHALLENGE = { 'WWW-Authenticate': 'Bearer realm="merchant"' };
/** `N` stands for the seconds, here and in the descriptions. */
const RETRY = { 'Retry-After': 'N' };

function refusedToken(message: string, description: string): Row {
  const challenge = `Bearer realm="merchant", error="invalid_token", error_description="${description}"`;
  return [401, message, description, { 'WWW-Authenticate': challenge }];
}

export const TOO_BUSY = 'too_busy';
export const INVALID_REFERENCE = 'invalid_reference';

/** The answer of each code. No other test repeats these texts. */
const ANSWERS: Readonly<Record<AuthErrorCode, Row>> = {
  invalid_body: [400, 'Body not valid', 'The body is not valid. Send the JSON object that this route expects.'],
  wrong_credentials: [
    401,
    'Wrong email or password',
    'The email or the password is wrong. Check both and log in again.',
    CHALLENGE,
  ],
  account_disabled: [
    401,
    'Account disabled',
    'This merchant account is disabled. Ask the operator of this service.',
    CHALLENGE,
  ],
  too_many_attempts: [429, 'Too many failed logins', 'Too many logins failed. Try again in N seconds.', RETRY],
  [TOO_BUSY]: [503, 'Too many logins at once', 'Too many logins at once. Try again in N seconds.', RETRY],
  method_not_allowed: [405, 'Method not allowed', 'Use POST.', { Allow: 'POST' }],
  invalid_url: [
    400,
    'URL not valid',
    'The path of the URL cannot be decoded. Percent-encode it as UTF-8, and write a % as %25.',
  ],
  source_not_allowed: [
    403,
    'Address not allowed',
    'This account may not be used from your address, A. Ask the operator of this service to add it.',
  ],
  missing_token: [401, 'Token missing', 'Send the header Authorization: Bearer <token>.', CHALLENGE],
  invalid_token: refusedToken('Token not valid', 'The token is not valid. Log in again.'),
  expired_token: refusedToken('Token expired', 'The token has expired. Log in again.'),
  revoked_token: refusedToken('Token revoked', 'The token is no longer accepted. Log in again.'),
  missing_reference: [400, 'refercence_cl missing', 'Send refercence_cl: the marchand.referencl of your login.'],
  [INVALID_REFERENCE]: [400, 'refercence_cl not valid', 'Send refercence_cl once, as a string.'],
  foreign_reference: [
    403,
    'Not your refercence_cl',
    'This refercence_cl is not yours. Send the marchand.referencl of your login.',
  ],
  unreadable_body: [415, 'Body cannot be read', 'Send the body as JSON, with Content-Type: application/json.'],
  store_unavailable: [
    503,
    'Accounts cannot be checked',
    'Accounts cannot be checked right now. Try again in N seconds.',
    RETRY,
  ],
  lost_body: [500, 'Service misconfigured', 'The service is misconfigured. Tell its operator.'],
  malformed_account: [500, 'Service misconfigured', 'The service is misconfigured. Tell its operator.'],
};

export const CODES = Object.keys(ANSWERS) as AuthErrorCode[];

/** Returns the answer of a code, with its seconds. */
export function answerOf(
  error: AuthErrorCode,
  seconds = 0,
): { readonly expected: Expected; readonly headers: Headers } {
  const [code, message, description, headers = {}] = ANSWERS[error];
  const withSeconds = Object.entries(headers).map(([name, value]) => [name, value === 'N' ? String(seconds) : value]);
  return {
    expected: { code, error, message, description: description.replace(' N ', ` ${seconds} `) },
    headers: Object.fromEntries(withSeconds) as Headers,
  };
}

function expectAnswer(answer: Answer, code: AuthErrorCode, seconds?: number, changes: Partial<Expected> = {}): void {
  const { expected, headers } = answerOf(code, seconds);
  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  expectError(answer, { ...expected, ...changes }, Object.fromEntries(lowerCase) as Headers);
}

/** Returns a function that asserts the whole answer of a code. */
function expecting(code: AuthErrorCode, seconds?: number): (answer: Answer) => void {
  return (answer) => expectAnswer(answer, code, seconds);
}

export const expectMissingToken = expecting('missing_token');
export const expectInvalidToken = expecting('invalid_token');
export const expectExpiredToken = expecting('expired_token');
export const expectRevokedToken = expecting('revoked_token');
export const expectWrongCredentials = expecting('wrong_credentials');
export const expectAccountDisabled = expecting('account_disabled');
export const expectInvalidReference = expecting(INVALID_REFERENCE);
export const expectForeignReference = expecting('foreign_reference');
export const expectUnreadableBody = expecting('unreadable_body');
export const expectStoreUnavailable = expecting('store_unavailable', 5);
export const expectMalformedAccount = expecting('malformed_account');

export function expectTooManyAttempts(answer: Answer, seconds: number): void {
  expectAnswer(answer, 'too_many_attempts', seconds);
}

/** Asserts the 503 of `TOO_BUSY`, whose seconds are random from 2 to 8. */
export function expectTooBusy(answer: Answer): void {
  const seconds = answer.headers['retry-after'];
  expect(seconds).to.match(/^[2-8]$/);
  expectAnswer(answer, TOO_BUSY, Number(seconds));
}

export function expectInvalidBody(answer: Answer, description: string, errors?: readonly object[]): void {
  expectAnswer(answer, 'invalid_body', undefined, { description, ...(errors && { errors }) });
}

export function expectMissingReference(answer: Answer, hint = ''): void {
  const description = `Send refercence_cl: the marchand.referencl of your login.${hint}`;
  expectAnswer(answer, 'missing_reference', undefined, { description });
}
