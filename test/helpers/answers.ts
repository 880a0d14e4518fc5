import { expect } from 'chai';
import type { Answer } from './http.js';

interface Expected {
  readonly code: number;
  readonly error: string;
  readonly message: string;
  readonly description: string;
  readonly errors?: readonly object[];
}

/** Asserts an error answer exactly: its status, its body and the headers of the error. */
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
  expectError(answer, { code: 401, error: 'missing_token', message: 'Token missing', description }, CHALLENGE);
}

export function expectInvalidToken(answer: Answer): void {
  const description = 'The token is not valid. Log in again.';
  const expected = { code: 401, error: 'invalid_token', message: 'Token not valid', description };
  expectError(answer, expected, tokenChallenge(description));
}

export function expectExpiredToken(answer: Answer): void {
  const description = 'The token has expired. Log in again.';
  const expected = { code: 401, error: 'expired_token', message: 'Token expired', description };
  expectError(answer, expected, tokenChallenge(description));
}

export function expectRevokedToken(answer: Answer): void {
  const description = 'The token is no longer accepted. Log in again.';
  const expected = { code: 401, error: 'revoked_token', message: 'Token revoked', description };
  expectError(answer, expected, tokenChallenge(description));
}

export function expectWrongCredentials(answer: Answer): void {
  const description = 'The email or the password is wrong. Check both and log in again.';
  const expected = { code: 401, error: 'wrong_credentials', message: 'Wrong email or password', description };
  expectError(answer, expected, CHALLENGE);
}

export function expectAccountDisabled(answer: Answer): void {
  const description = 'This merchant account is disabled. Ask the operator of this service.';
  expectError(answer, { code: 401, error: 'account_disabled', message: 'Account disabled', description }, CHALLENGE);
}

export function expectTooManyAttempts(answer: Answer, seconds: number): void {
  const description = `Too many logins failed. Try again in ${seconds} seconds.`;
  const expected = { code: 429, error: 'too_many_attempts', message: 'Too many failed logins', description };
  expectError(answer, expected, { 'retry-after': String(seconds) });
}

/** Asserts the 503 `too_busy`, whose seconds are random from 2 to 8. */
export function expectTooBusy(answer: Answer): void {
  const seconds = answer.headers['retry-after'] ?? '';
  expect(seconds).to.match(/^[2-8]$/);
  const description = `Too many logins at once. Try again in ${seconds} seconds.`;
  const expected = { code: 503, error: 'too_busy', message: 'Too many logins at once', description };
  expectError(answer, expected, { 'retry-after': seconds });
}

export function expectInvalidBody(answer: Answer, description: string, errors?: readonly object[]): void {
  const expected = { code: 400, error: 'invalid_body', message: 'Body not valid', description };
  expectError(answer, { ...expected, ...(errors && { errors }) });
}

export function expectMissingReference(answer: Answer, hint = ''): void {
  const description = `Send refercence_cl: the marchand.referencl of your login.${hint}`;
  expectError(answer, { code: 400, error: 'missing_reference', message: 'refercence_cl missing', description });
}

export function expectInvalidReference(answer: Answer): void {
  const description = 'Send refercence_cl once, as a string.';
  expectError(answer, { code: 400, error: 'invalid_reference', message: 'refercence_cl not valid', description });
}

export function expectForeignReference(answer: Answer): void {
  const description = 'This refercence_cl is not yours. Send the marchand.referencl of your login.';
  expectError(answer, { code: 403, error: 'foreign_reference', message: 'Not your refercence_cl', description });
}

export function expectUnreadableBody(answer: Answer): void {
  const description = 'Send the body as JSON, with Content-Type: application/json.';
  expectError(answer, { code: 415, error: 'unreadable_body', message: 'Body cannot be read', description });
}

export function expectStoreUnavailable(answer: Answer): void {
  const description = 'Accounts cannot be checked right now. Try again in 5 seconds.';
  const expected = { code: 503, error: 'store_unavailable', message: 'Accounts cannot be checked', description };
  expectError(answer, expected, { 'retry-after': '5' });
}

export function expectMalformedAccount(answer: Answer): void {
  const description = 'The service is misconfigured. Tell its operator.';
  expectError(answer, { code: 500, error: 'malformed_account', message: 'Service misconfigured', description });
}
