import { pauseStackTraces } from '../base/stack-traces.js';
import { type AuthErrorCode, describe, entryOf, REFERENCE_FIELD } from './catalogue.js';

export const DEFAULT_REALM = 'merchant';

/** One broken rule of the login body. */
export interface FieldError {
  /** The member of the body. */
  readonly field: string;
  /** The rule of docs/interface.md 2.1. */
  readonly rule: 'required' | 'type' | 'minLength' | 'maxLength' | 'format';
  /** Says what to send instead. */
  readonly message: string;
}

/** A broken rule as `respond` gets it. The answer leaves out the `limit`. */
export interface LimitedFieldError extends FieldError {
  /** The code points of `minLength` or `maxLength`. */
  readonly limit?: number;
}

/** The JSON body of an error. The interface names only its `description`. */
export interface AuthErrorBody {
  readonly status: 'Error';
  readonly success: false;
  /** The HTTP status. */
  readonly code: number;
  /** The code of the error. */
  readonly error: AuthErrorCode;
  /** Says what happened, in a few words. */
  readonly message: string;
  /** Says what happened and what to do. */
  readonly description: string;
  /** Only in answers of `POST /login`. */
  readonly errors?: readonly FieldError[];
}

/** Replaces values of the catalogue. */
export interface AuthErrorOptions {
  /** Replaces the `message` of the catalogue. */
  readonly message?: string;
  /**
   * The challenge has it too, unless RFC 6750 section 3 forbids one of its characters there. Must not hold a value of
   * the caller other than the address.
   */
  readonly description?: string;
  /** The names of the reference in the description. Default `refercence_cl`. */
  readonly referenceNames?: readonly string[];
  /** The realm of the challenge (RFC 9110 section 11.5). Default `merchant`. */
  readonly realm?: string;
  /** For example the 413 of a body parser. */
  readonly status?: number;
  /** Default: no list. */
  readonly errors?: readonly LimitedFieldError[];
  /** Replaces the seconds of `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** For `source_not_allowed`. Without it, the description says that the service cannot see the address. */
  readonly address?: string;
  /** For the host's logs. Default: the description. */
  readonly detail?: string;
  /** The error that caused this one, for the host. */
  readonly cause?: unknown;
}

/** The characters of an `error_description` (RFC 6750 section 3). */
const CHALLENGE_TEXT = /^[ !#-[\]-~]+$/;

/** Recognizes an `AuthError` of another copy of this package. */
const MARK = Symbol.for('express-merchant-auth.AuthError');

/**
 * A refused request. The answer has its `status`, `headers` and `toJSON()`. Hosts get it in `respond` and in their error
 * handler, and from `Tokens.verify` and `Login.attempt`. An error that the caller caused has no stack trace, because
 * traces are slow and callers choose how many refusals there are.
 */
export class AuthError extends Error {
  override readonly name = 'AuthError';
  /** Switch on it, because messages may change. */
  readonly code: AuthErrorCode;
  /** The HTTP status. */
  readonly status: number;
  /** Says to the caller what happened and what to do. */
  readonly description: string;
  /** `WWW-Authenticate` (RFC 6750 section 3), `Retry-After` or `Allow`. */
  readonly headers: Readonly<Record<string, string>>;
  /** For the host's logs, not for the caller. */
  readonly detail: string;
  /** True when the host has to fix the cause. `authErrorHandler` gives these errors to its `log`. */
  readonly hostSide: boolean;
  /** The caller's public address. Only in `source_not_allowed`. */
  declare readonly address?: string;
  /** The name of the reference that was found, or each name of the guard. Absent in other errors. */
  declare readonly referenceNames?: readonly string[];
  /** Of a login body. Absent in other errors. */
  declare readonly errors?: readonly LimitedFieldError[];

  constructor(code: AuthErrorCode, options: AuthErrorOptions = {}) {
    const entry = entryOf(code);
    const resumeStackTraces = entry.hostSide ? undefined : pauseStackTraces();
    super(options.message ?? entry.message, options.cause === undefined ? undefined : { cause: options.cause });
    resumeStackTraces?.();

    const seconds = options.retryAfterSeconds ?? entry.retryAfterSeconds?.();
    this.code = code;
    this.status = options.status ?? entry.status;
    const { address, referenceNames = [REFERENCE_FIELD] } = options;
    const usual = describe(code, { reference: referenceNames.join(' or '), seconds, address });
    this.description = options.description ?? usual;
    this.detail = options.detail ?? this.description;
    this.hostSide = entry.hostSide ?? false;
    if (address !== undefined) this.address = address;
    if (options.referenceNames !== undefined) this.referenceNames = [...options.referenceNames];
    if (options.errors !== undefined) this.errors = options.errors;

    const bearer = `Bearer realm="${options.realm ?? DEFAULT_REALM}"`;
    const text = CHALLENGE_TEXT.test(this.description) ? this.description : usual;
    const challenges = { realm: bearer, error: `${bearer}, error="invalid_token", error_description="${text}"` };
    this.headers = {
      ...(entry.challenge !== undefined && { 'WWW-Authenticate': challenges[entry.challenge] }),
      ...(seconds !== undefined && { 'Retry-After': String(seconds) }),
      ...(entry.allow !== undefined && { Allow: entry.allow }),
    };
  }

  /** Returns the body of the answer. */
  toJSON(): AuthErrorBody {
    return {
      status: 'Error',
      success: false,
      code: this.status,
      error: this.code,
      message: this.message,
      description: this.description,
      ...(this.errors && { errors: this.errors.map(({ field, rule, message }) => ({ field, rule, message })) }),
    };
  }
}

Object.defineProperty(AuthError.prototype, MARK, { value: true });

export function isAuthError(error: unknown): error is AuthError {
  return error instanceof Error && MARK in error;
}

export function tooBusy(): AuthError {
  return new AuthError('too_busy');
}

export function unavailable(detail: string, cause: unknown): AuthError {
  return new AuthError('store_unavailable', { detail, cause });
}
