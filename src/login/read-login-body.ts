import type { ServerResponse } from 'node:http';
import { mediaTypeOf } from '../body/media-type.js';
import { NOT_JSON, NOT_READ, tooLarge } from '../body/parser-failures.js';
import { createBodyReader } from '../body/read-body.js';
import { type IncomingRequest, wasRead } from '../body/read-json.js';
import { AuthError, type LimitedFieldError } from '../errors/auth-error.js';
import type { BrokenRules } from './broken-rules.js';
import type { LoginBody } from './login-schema.js';

/** An email and a password fit in any encoding. */
export const BODY_LIMIT_BYTES = 16_384;

export const BODY_TIMEOUT_MS = 5_000;

const NOT_AN_OBJECT = 'The body is not a valid JSON object.';

const readBody = createBodyReader({ bytes: BODY_LIMIT_BYTES, timeoutMs: BODY_TIMEOUT_MS }, 'email=&password='.length);

/**
 * Returns the members of docs/interface.md 2.1 as they were sent.
 * @throws AuthError `invalid_body` that lists every broken rule, without the values
 */
export async function readLoginBody(
  req: IncomingRequest,
  res: ServerResponse,
  brokenRules: BrokenRules,
): Promise<LoginBody> {
  if (mediaTypeOf(req.headers).name !== 'application/json') throw invalidLogin('Send the body as application/json.');
  // An earlier parser can have a higher limit.
  if (wasRead(req) && Number(req.headers['content-length']) > BODY_LIMIT_BYTES) {
    throw invalidLogin(tooLarge(BODY_LIMIT_BYTES));
  }

  const body = await readBody(req, res).catch(rethrowAsInvalidLogin);
  if (body.kind === 'unseen') throw invalidLogin(NOT_READ);
  const value = body.kind === 'value' ? body.value : undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidLogin(NOT_AN_OBJECT);

  // Before the rules, which read a long text several times.
  if (isTooLong(value)) throw invalidLogin(tooLarge(BODY_LIMIT_BYTES));
  const errors = brokenRules(value);
  if (errors.length > 0) throw invalidLogin(errors.map(({ message }) => message).join(' '), errors);
  const { email, password } = value as LoginBody;
  return { email, password };
}

function isTooLong({ email, password }: Partial<LoginBody>): boolean {
  return [email, password].some((text) => typeof text === 'string' && text.length > BODY_LIMIT_BYTES);
}

function rethrowAsInvalidLogin(error: unknown): never {
  if (!(error instanceof AuthError) || error.hostSide) throw error;
  const { description, cause } = error;
  throw invalidLogin(description === NOT_JSON ? NOT_AN_OBJECT : description, [], cause);
}

/** Has an empty list when the body as a whole is wrong. */
function invalidLogin(description: string, errors: readonly LimitedFieldError[] = [], cause?: unknown): AuthError {
  return new AuthError('invalid_body', { description, errors, cause });
}
