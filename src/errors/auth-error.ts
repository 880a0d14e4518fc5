import { type AuthErrorCode, catalogue, entryOf } from './catalogue.js';
import { limitStackTraces } from './stack-traces.js';

/** One broken rule of the login request body. */
export interface FieldError {
  /** The member that broke the rule. */
  readonly field: string;
  /** The rule of SPEC.md 2.1 that it broke. */
  readonly rule: 'required' | 'type' | 'minLength' | 'maxLength' | 'format';
  /** What to send instead, in a sentence. */
  readonly message: string;
}

/** The JSON body of an error: SPEC.md names `description`; the rest mirrors the success body of SPEC.md 2.2. */
export interface AuthErrorBody {
  readonly status: 'Error';
  readonly success: false;
  /** The HTTP status. */
  readonly code: number;
  readonly error: AuthErrorCode;
  readonly message: string;
  readonly description: string;
  /** The broken rules, where the request was `POST /login`. */
  readonly errors?: readonly FieldError[];
}

/** What may be said of one error beside its code. */
export interface AuthErrorOptions {
  /** Replaces the catalogue's sentence in the answer. Never holds a value that the caller sent. */
  readonly description?: string;
  /** The protection space of the challenge (RFC 9110 section 11.5). Default `merchant`. */
  readonly realm?: string;
  /** Replaces the catalogue's status: the 413 of a host's own body parser. */
  readonly status?: number;
  readonly errors?: readonly FieldError[];
  /** Replaces the catalogue's `Retry-After`, in seconds. */
  readonly retryAfterSeconds?: number;
  /** The error's `message`, for the host's logs only. Default: the description. */
  readonly detail?: string;
  /** What was caught. */
  readonly cause?: unknown;
}

/** The realm of the challenge, the default issuer and the throttle's keys where the host names none. */
export const DEFAULT_REALM = 'merchant';

let listsErrors: (error: AuthError) => boolean;

/**
 * A refused request, ready to be answered. Hosts meet it in `respond`, in their error handler behind `next(error)`, and
 * thrown by `Tokens.verify`. `message` is for logs; what the caller gets is `status`, `headers` and `toJSON()`. What is
 * the caller's own doing has no stack: callers choose how many of them there are, and a stack costs more than the rest.
 */
export class AuthError extends Error {
  override readonly name = 'AuthError';
  /** Which error this is. Switch on it. */
  readonly code: AuthErrorCode;
  /** The HTTP status of the answer. */
  readonly status: number;
  /** The sentence that the caller gets. */
  readonly description: string;
  /** The headers of the answer, beside its content type: `WWW-Authenticate` (RFC 6750 section 3) or `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly #errors: readonly FieldError[] | undefined;

  static {
    listsErrors = (error) => error.#errors !== undefined;
  }

  constructor(code: AuthErrorCode, options: AuthErrorOptions = {}) {
    const entry = entryOf(code);
    const { retryAfterSeconds = entry.retryAfterSeconds } = options;
    const hasDelay = retryAfterSeconds !== undefined;
    const general = hasDelay ? entry.description.replace(' N ', ` ${retryAfterSeconds} `) : entry.description;
    const description = options.description ?? general;
    const { stackTraceLimit } = Error;
    if (!entry.hostSide) limitStackTraces(0);
    super(options.detail ?? description, options.cause === undefined ? undefined : { cause: options.cause });
    limitStackTraces(stackTraceLimit);
    this.code = code;
    this.status = options.status ?? entry.status;
    this.description = description;
    this.#errors = options.errors;

    const realm = `Bearer realm="${options.realm ?? DEFAULT_REALM}"`;
    const challenge = {
      realm,
      error: `${realm}, error="invalid_token", error_description="${entry.description}"`,
    };
    this.headers = {
      ...(entry.challenge !== undefined && { 'WWW-Authenticate': challenge[entry.challenge] }),
      ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
    };
  }

  /** The body of the answer. */
  toJSON(): AuthErrorBody {
    return {
      status: 'Error',
      success: false,
      code: this.status,
      error: this.code,
      message: entryOf(this.code).message,
      description: this.description,
      ...(this.#errors !== undefined && { errors: this.#errors }),
    };
  }
}

/** Made once for each 401 that says what the catalogue says, since callers choose how many of those there are. */
const texts = new Map<AuthErrorCode, string>();

/** The body of an answer as JSON text. */
export function textOf(error: AuthError): string {
  const { code } = error;
  if (!isCommon(error)) return JSON.stringify(error);
  const text = texts.get(code) ?? JSON.stringify(new AuthError(code));
  texts.set(code, text);
  return text;
}

/** Whether nothing of an answer but its realm, which is not in its body, is of its own. */
function isCommon(error: AuthError): boolean {
  if (Object.getPrototypeOf(error) !== AuthError.prototype || Object.hasOwn(error, 'toJSON')) return false;
  const entry = Object.hasOwn(catalogue, error.code) ? entryOf(error.code) : undefined;
  const { challenge, status, description } = entry ?? {};
  return challenge !== undefined && error.status === status && error.description === description && !listsErrors(error);
}
