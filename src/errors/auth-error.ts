import { type AuthErrorCode, entryOf } from './catalogue.js';
import { limitStackTraces } from './stack-traces.js';

/** One broken rule of the login request body. */
export interface FieldError {
  /** The member that broke the rule. */
  readonly field: string;
  /** The rule of docs/interface.md 2.1 that it broke. */
  readonly rule: 'required' | 'type' | 'minLength' | 'maxLength' | 'format';
  /** Says in a sentence what to send instead. */
  readonly message: string;
}

/** The JSON body of an error. The interface names `description`; the other members mirror the success body. */
export interface AuthErrorBody {
  readonly status: 'Error';
  readonly success: false;
  /** The HTTP status. */
  readonly code: number;
  readonly error: AuthErrorCode;
  readonly message: string;
  readonly description: string;
  /** The broken rules, in an answer of `POST /login`. */
  readonly errors?: readonly FieldError[];
}

/** The reasons of a failed login. The audit gets them; the caller does not. */
export type LoginFailure =
  'unknown_email' | 'other_identifier' | 'wrong_password' | 'no_usable_hash' | 'account_disabled';

/** Facts about a refused login that only the code which refuses it knows. They are for the audit event. */
export interface AuditFacts {
  readonly reason?: LoginFailure;
  readonly accountId?: string;
}

/** The facts of one error beside its code. */
export interface AuthErrorOptions {
  /** Replaces the catalogue's `description`. Never holds a value that the caller sent. */
  readonly description?: string;
  /** Replaces the catalogue's `message`. Never holds a value that the caller sent. */
  readonly message?: string;
  /** The protection space of the challenge (RFC 9110 section 11.5). Default `merchant`. */
  readonly realm?: string;
  /** Replaces the catalogue's status: the 413 of a host's own body parser. */
  readonly status?: number;
  readonly errors?: readonly FieldError[];
  /** Replaces the catalogue's `Retry-After`, in seconds. */
  readonly retryAfterSeconds?: number;
  /** Says to the host what is wrong, also where the caller must not know it. Default: the description. */
  readonly detail?: string;
  /** The error that was caught. */
  readonly cause?: unknown;
  /** @internal */
  readonly audit?: AuditFacts;
}

/** The realm where the host names none. It is in the challenge, the default issuer and the throttle's keys. */
export const DEFAULT_REALM = 'merchant';

/**
 * A refused request, ready to be answered. Hosts see it in `respond`, in their error handler after `next(error)`, and
 * thrown by `Tokens.verify` and `Login.attempt`. The caller gets `status`, `headers` and `toJSON()`. An error that the
 * caller caused has no stack, because callers choose how many there are.
 */
export class AuthError extends Error {
  override readonly name = 'AuthError';
  /** The code of the catalogue. Switch on it. */
  readonly code: AuthErrorCode;
  /** The HTTP status of the answer. */
  readonly status: number;
  /** The sentence that the caller gets. */
  readonly description: string;
  /** The headers of the answer beside its content type: `WWW-Authenticate` (RFC 6750 section 3) or `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;
  /** A sentence for the host's logs. The caller does not get it. */
  readonly detail: string;
  /** @internal */
  readonly audit: AuditFacts;
  readonly #errors: readonly FieldError[] | undefined;

  constructor(code: AuthErrorCode, options: AuthErrorOptions = {}) {
    const entry = entryOf(code);
    const { stackTraceLimit } = Error;
    if (!entry.hostSide) limitStackTraces(0);
    super(options.message ?? entry.message, options.cause === undefined ? undefined : { cause: options.cause });
    limitStackTraces(stackTraceLimit);

    const seconds = options.retryAfterSeconds ?? entry.retryAfterSeconds?.();
    this.code = code;
    this.status = options.status ?? entry.status;
    this.description = options.description ?? entry.description.replace(' N ', ` ${seconds ?? 'N'} `);
    this.detail = options.detail ?? this.description;
    this.audit = options.audit ?? {};
    this.#errors = options.errors;

    const realm = `Bearer realm="${options.realm ?? DEFAULT_REALM}"`;
    const challenge = {
      realm,
      error: `${realm}, error="invalid_token", error_description="${entry.description}"`,
    };
    this.headers = {
      ...(entry.challenge !== undefined && { 'WWW-Authenticate': challenge[entry.challenge] }),
      ...(seconds !== undefined && { 'Retry-After': String(seconds) }),
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
      ...(this.#errors !== undefined && { errors: this.#errors }),
    };
  }
}
