import { expect } from 'chai';
import type { AuthErrorCode } from '../../src/index.js';
import type { Answer as HttpAnswer } from './http.js';

/** An answer, from supertest or from helpers/http.ts. */
type Answer = Pick<HttpAnswer, 'status' | 'headers' | 'text'>;

// The suites take the codes from here, so that a renamed code changes one file of tests. They do not take them from src,
// so that a changed code fails. The type of `ANSWERS` checks that no code is missing.
export const INVALID_BODY = 'invalid_body';
export const WRONG_CREDENTIALS = 'wrong_credentials';
export const ACCOUNT_DISABLED = 'account_disabled';
export const TOO_MANY_ATTEMPTS = 'too_many_attempts';
export const TOO_BUSY = 'too_busy';
export const METHOD_NOT_ALLOWED = 'method_not_allowed';
export const INVALID_URL = 'invalid_url';
export const SOURCE_NOT_ALLOWED = 'source_not_allowed';
export const MISSING_TOKEN = 'missing_token';
export const INVALID_TOKEN = 'invalid_token';
export const EXPIRED_TOKEN = 'expired_token';
export const REVOKED_TOKEN = 'revoked_token';
export const MISSING_REFERENCE = 'missing_reference';
export const INVALID_REFERENCE = 'invalid_reference';
export const FOREIGN_REFERENCE = 'foreign_reference';
export const UNREADABLE_BODY = 'unreadable_body';
export const STORE_UNAVAILABLE = 'store_unavailable';
export const LOST_BODY = 'lost_body';
export const MALFORMED_ACCOUNT = 'malformed_account';

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

/** Returns the challenge of a refused token. Its `error` is always the `invalid_token` of RFC 6750, not the code. */
export function challengeOf(description: string, realm = 'merchant'): string {
  return `Bearer realm="${realm}", error="invalid_token", error_description="${description}"`;
}

function refusedToken(message: string, description: string): Row {
  return [401, message, description, { 'WWW-Authenticate': challengeOf(description) }];
}

/** The answer of each code. Other suites take the texts from here with `answerOf`. */
const ANSWERS: Readonly<Record<AuthErrorCode, Row>> = {
  [INVALID_BODY]: [400, 'Body not valid', 'The body is not valid. Send the JSON object that this route expects.'],
  [WRONG_CREDENTIALS]: [
    401,
    'Wrong email or password',
    'The email or the password is wrong. Check both and log in again.',
    CHALLENGE,
  ],
  [ACCOUNT_DISABLED]: [
    401,
    'Account disabled',
    'This merchant account is disabled. Ask the operator of this service.',
    CHALLENGE,
  ],
  [TOO_MANY_ATTEMPTS]: [429, 'Too many failed logins', 'Too many logins failed. Try again in {N} seconds.', RETRY],
  [TOO_BUSY]: [503, 'Too many logins at once', 'Too many logins at once. Try again in {N} seconds.', RETRY],
  [METHOD_NOT_ALLOWED]: [405, 'Method not allowed', 'Use POST.', { Allow: 'POST' }],
  [INVALID_URL]: [
    400,
    'URL not valid',
    'The path of the URL cannot be decoded. Percent-encode it as UTF-8, and write a % as %25.',
  ],
  [SOURCE_NOT_ALLOWED]: [
    403,
    'Address not allowed',
    'This account may not be used from your address, {A}. Ask the operator of this service to add it.',
  ],
  [MISSING_TOKEN]: [401, 'Token missing', 'Send the header Authorization: Bearer <token>.', CHALLENGE],
  [INVALID_TOKEN]: refusedToken('Token not valid', 'The token is not valid. Log in again.'),
  [EXPIRED_TOKEN]: refusedToken('Token expired', 'The token has expired. Log in again.'),
  [REVOKED_TOKEN]: refusedToken('Token revoked', 'The token is no longer accepted. Log in again.'),
  [MISSING_REFERENCE]: [400, 'Reference missing', 'Send refercence_cl: the marchand.referencl of your login.'],
  [INVALID_REFERENCE]: [400, 'Reference not valid', 'Send refercence_cl once, as a string.'],
  [FOREIGN_REFERENCE]: [
    403,
    'Not your reference',
    'This refercence_cl is not yours. Send the marchand.referencl of your login.',
  ],
  [UNREADABLE_BODY]: [415, 'Body cannot be read', 'Send the body as JSON, with Content-Type: application/json.'],
  [STORE_UNAVAILABLE]: [
    503,
    'Accounts cannot be checked',
    'Accounts cannot be checked right now. Try again in {N} seconds.',
    RETRY,
  ],
  [LOST_BODY]: [500, 'Service misconfigured', 'The service is misconfigured. Tell its operator.'],
  [MALFORMED_ACCOUNT]: [500, 'Service misconfigured', 'The service is misconfigured. Tell its operator.'],
};

export const CODES = Object.keys(ANSWERS) as AuthErrorCode[];

export function answerOf(
  error: AuthErrorCode,
  seconds = 0,
): { readonly expected: Expected; readonly headers: Headers } {
  const [code, message, description, headers = {}] = ANSWERS[error];
  const withSeconds = Object.entries(headers).map(([name, value]) => [name, value === 'N' ? String(seconds) : value]);
  return {
    expected: { code, error, message, description: description.replace('{N}', String(seconds)) },
    headers: Object.fromEntries(withSeconds) as Headers,
  };
}

function expectAnswer(answer: Answer, code: AuthErrorCode, seconds?: number, changes: Partial<Expected> = {}): void {
  const { expected, headers } = answerOf(code, seconds);
  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  expectError(answer, { ...expected, ...changes }, Object.fromEntries(lowerCase) as Headers);
}

function expecting(code: AuthErrorCode, seconds?: number): (answer: Answer) => void {
  return (answer) => expectAnswer(answer, code, seconds);
}

export const expectMissingToken = expecting(MISSING_TOKEN);
export const expectInvalidToken = expecting(INVALID_TOKEN);
export const expectRevokedToken = expecting(REVOKED_TOKEN);
export const expectWrongCredentials = expecting(WRONG_CREDENTIALS);
export const expectAccountDisabled = expecting(ACCOUNT_DISABLED);
export const expectInvalidReference = expecting(INVALID_REFERENCE);
export const expectForeignReference = expecting(FOREIGN_REFERENCE);
export const expectUnreadableBody = expecting(UNREADABLE_BODY);
export const expectStoreUnavailable = expecting(STORE_UNAVAILABLE, 5);

export function expectTooManyAttempts(answer: Answer, seconds: number): void {
  expectAnswer(answer, TOO_MANY_ATTEMPTS, seconds);
}

/** Asserts the 503 of `TOO_BUSY`, whose seconds are random from 2 to 8. */
export function expectTooBusy(answer: Answer): void {
  const seconds = answer.headers['retry-after'];
  expect(seconds).to.match(/^[2-8]$/);
  expectAnswer(answer, TOO_BUSY, Number(seconds));
}

export function expectInvalidBody(answer: Answer, description: string, errors?: readonly object[]): void {
  expectAnswer(answer, INVALID_BODY, undefined, { description, ...(errors && { errors }) });
}

export function expectMissingReference(answer: Answer, hint = ''): void {
  const description = `Send refercence_cl: the marchand.referencl of your login.${hint}`;
  expectAnswer(answer, MISSING_REFERENCE, undefined, { description });
}
