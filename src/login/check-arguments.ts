import type { IncomingMessage } from 'node:http';
import { AuthError } from '../errors/auth-error.js';
import { isLoginText, LOGIN_TEXT } from '../passwords/login-text.js';

/** The arguments of `Login.attempt`. */
export interface LoginCredentials {
  /** The email or user name, exactly as it was sent. */
  readonly identifier: string;
  readonly password: string;
}

const NO_REQUEST = 'login.attempt needs the request first: login.attempt(req, { identifier, password }).';
const NO_CREDENTIALS =
  'login.attempt needs the members identifier and password, whatever their names in the body: ' +
  '{ identifier: req.body.email, password: req.body.password }.';

/** @throws TypeError without the request or a member, whose value is the caller's */
export function checkCall(req: unknown, credentials: unknown): void {
  if (typeof (req as Partial<IncomingMessage> | undefined | null)?.headers !== 'object')
    throw new TypeError(NO_REQUEST);
  const isObject = typeof credentials === 'object' && credentials !== null;
  if (!isObject || !('identifier' in credentials && 'password' in credentials)) throw new TypeError(NO_CREDENTIALS);
}

/** @throws AuthError `invalid_body` */
export function checkTexts({ identifier, password }: LoginCredentials): LoginCredentials {
  for (const [name, text] of Object.entries({ identifier, password })) {
    if (!isLoginText(text)) {
      throw new AuthError('invalid_body', { description: `The ${name} must be a text of ${LOGIN_TEXT}.` });
    }
  }
  return { identifier, password };
}
