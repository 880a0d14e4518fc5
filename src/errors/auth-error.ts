import { pauseStackTraces } from '../base/stack-traces.js';
import { type AuthErrorCode, describe, entryOf, REFERENCE_FIELD } from './catalogue.js';

export const DEFAULT_REALM = 'merchant';

/** One broken rule of the login request body. */
export interface FieldError {
  /** The member that broke the rule. */
  readonly field: string;
  /** The rule of docs/interface.md 2.1 that it broke. */
  readonly rule: 'required' | 'type' | 'minLength' | 'maxLength' | 'format';
  /** Says in a sentence what to send instead. */
  readonly message: string;
}

/** A broken rule with a fact that the answer does not have. */
export interface LimitedFieldError extends FieldError {
  /** The number of code points that `minLength` or `maxLength` names. */
  readonly limit?: number;
}

/** The JSON body of an error. The interface only names `description`. The other members mirror the success body. */
export interface AuthErrorBody {
  readonly status: 'Error';
  readonly success: false;
  /** The HTTP status. */
  readonly code: number;
  /** The code of the error. */
  readonly error: AuthErrorCode;
  /** Says what happened, in a few words. */
  readonly message: string;
  /** Says what happened and what to do, in a sentence. */
  readonly description: string;
  /** The broken rules, in an answer of `POST /login`. */
  readonly errors?: readonly FieldError[];
}

/** Sets the values of one error that differ from the catalogue. */
export interface AuthErrorOptions {
  /** Replaces the catalogue's `message`. */
  readonly message?: string;
  /**
   * Replaces the catalogue's `description`. The challenge has it too, unless RFC 6750 section 3 forbids one of its
   * characters there. The caller's address is the only value of the caller that it can hold.
   */
  readonly description?: string;
  /** The names of the merchant reference that the descriptions name. Default `refercence_cl`. */
  readonly referenceNames?: readonly string[];
  /** The realm of the challenge (RFC 9110 section 11.5). Default `merchant`. */
  readonly realm?: string;
  /** Replaces the catalogue's status, for example with the 413 of a body parser. */
  readonly status?: number;
  /** The broken rules of a login body. Default: no list. */
  readonly errors?: readonly LimitedFieldError[];
  /** Replaces the catalogue's `Retry-After`, in seconds. */
  readonly retryAfterSeconds?: number;
  /** The caller's address, for `source_not_allowed`. Default: its description says that the service cannot see it. */
  readonly address?: string;
  /** The `detail` of the error, for the host's logs. Default: the description. */
  readonly detail?: string;
  /** The error that caused this one. */
  readonly cause?: unknown;
}

/** Matches what an `error_description` can have (RFC 6750 section 3). */
const CHALLENGE_TEXT = /^[ !#-[\]-~]+$/;

/** Recognizes an `AuthError` of another copy of this package. */
const MARK = Symbol.for('express-merchant-auth.AuthError');

/**
 * A refused request, ready to be answered. Hosts get it in `respond` and in their error handler after `next(error)`.
 * `Tokens.verify` and `Login.attempt` throw it. The answer has its `status`, `headers` and `toJSON()`. An error that
 * the caller caused has no stack trace, because traces are slow and callers choose how many refusals there are.
 */
export class AuthError extends Error {
  override readonly name = 'AuthError';
  /** The code of the error. Switch on it, because messages may change. */
  readonly code: AuthErrorCode;
  /** The HTTP status of the answer. */
  readonly status: number;
  /** Says to the caller what happened and what to do. */
  readonly description: string;
  /**
   * The headers of the answer beside its content type: `WWW-Authenticate` (RFC 6750 section 3), `Retry-After` or
   * `Allow`.
   */
  readonly headers: Readonly<Record<string, string>>;
  /** A sentence for the host's logs, which the caller does not get. */
  readonly detail: string;
  /** True when the host has to fix the cause. `authErrorHandler` gives these errors to its `log`. */
  readonly hostSide: boolean;
  /** The caller's public address in `source_not_allowed`. Otherwise absent. */
  declare readonly address?: string;
  /** The name of the reference that was found, or each name of the guard. Absent for every other error. */
  declare readonly referenceNames?: readonly string[];
  /** The broken rules of a login body. Absent for every other error. */
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
