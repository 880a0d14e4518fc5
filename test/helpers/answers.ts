import { expect } from 'chai';
import type { Answer } from './http.js';

interface Expected {
  readonly code: number;
  readonly error: string;
  readonly message: string;
  readonly description: string;
  readonly errors?: readonly object[];
}

/** Asserts a whole error answer, to the byte: status, body, and the headers that belong to it. */
export function expectError(answer: Answer, expected: Expected, headers: Readonly<Record<string, string>> = {}): void {
  const { code, error, message, description, errors } = expected;
  const body = { status: 'Error', success: false, code, error, message, description, ...(errors && { errors }) };
  expect(answer.text).to.equal(JSON.stringify(body));
  expect(answer.status).to.equal(code);
  expect(answer.headers['content-type']).to.equal('application/json; charset=utf-8');
  expect(answer.headers['www-authenticate']).to.equal(headers['www-authenticate']);
  expect(answer.headers['retry-after']).to.equal(headers['retry-after']);
}

const CHALLENGE = { 'www-authenticate': 'Bearer realm="merchant"' };

function tokenChallenge(description: string) {
  return { 'www-authenticate': `Bearer realm="merchant", error="invalid_token", error_description="${description}"` };
}

export function expectMissingToken(answer: Answer): void {
  const description = 'Send the header Authorization: Bearer <token>.';
  expectError(answer, { code: 401, error: 'missing_token', message: 'Unauthorized', description }, CHALLENGE);
}

export function expectInvalidToken(answer: Answer): void {
  const description = 'The token is not valid.';
  const expected = { code: 401, error: 'invalid_token', message: 'Unauthorized', description };
  expectError(answer, expected, tokenChallenge(description));
}

export function expectExpiredToken(answer: Answer): void {
  const description = 'The token has expired. Log in again.';
  const expected = { code: 401, error: 'expired_token', message: 'Unauthorized', description };
  expectError(answer, expected, tokenChallenge(description));
}

export function expectRevokedToken(answer: Answer): void {
  const description = 'The token is no longer accepted. Log in again.';
  const expected = { code: 401, error: 'revoked_token', message: 'Unauthorized', description };
  expectError(answer, expected, tokenChallenge(description));
}

export function expectWrongCredentials(answer: Answer): void {
  const description = 'Wrong email or password.';
  expectError(answer, { code: 401, error: 'wrong_credentials', message: 'Login failed', description }, CHALLENGE);
}

export function expectAccountDisabled(answer: Answer): void {
  const description = 'This merchant account is disabled.';
  expectError(answer, { code: 401, error: 'account_disabled', message: 'Login failed', description }, CHALLENGE);
}

export function expectTooManyAttempts(answer: Answer, seconds: number): void {
  const description = `Too many failed logins. Try again in ${seconds} seconds.`;
  const expected = { code: 429, error: 'too_many_attempts', message: 'Login failed', description };
  expectError(answer, expected, { 'retry-after': String(seconds) });
}

export function expectInvalidBody(answer: Answer, description: string, errors?: readonly object[]): void {
  const expected = { code: 400, error: 'invalid_body', message: 'Invalid request', description };
  expectError(answer, { ...expected, ...(errors && { errors }) });
}

export function expectMissingReference(answer: Answer, hint = ''): void {
  const description = `refercence_cl is required.${hint}`;
  expectError(answer, { code: 400, error: 'missing_reference', message: 'Invalid request', description });
}

export function expectInvalidReference(answer: Answer): void {
  const description = 'refercence_cl must be given once, as a string.';
  expectError(answer, { code: 400, error: 'invalid_reference', message: 'Invalid request', description });
}

export function expectForeignReference(answer: Answer): void {
  const description = "refercence_cl is not this account's own.";
  expectError(answer, { code: 403, error: 'foreign_reference', message: 'Forbidden', description });
}

export function expectUnreadableBody(answer: Answer): void {
  const description =
    'Send the body as JSON (Content-Type: application/json), or have the service parse it before the guard, or guard ' +
    "with reference: 'unchecked' and put requireOwnReference() behind the parser.";
  expectError(answer, { code: 415, error: 'unreadable_body', message: 'Unsupported media type', description });
}

export function expectStoreUnavailable(answer: Answer): void {
  const description = 'Accounts cannot be checked right now. Try again later.';
  const expected = { code: 503, error: 'store_unavailable', message: 'Service unavailable', description };
  expectError(answer, expected, { 'retry-after': '5' });
}

export function expectMalformedAccount(answer: Answer): void {
  const description = 'The service is misconfigured.';
  expectError(answer, { code: 500, error: 'malformed_account', message: 'Internal error', description });
}
