import { AuthError } from '../errors/auth-error.js';
import { type CodeOfEvent, entryOf } from '../errors/catalogue.js';
import { type AuthEvent, emit, type LoginFailure } from './auth-event.js';

interface RefusalPlace {
  readonly realm: string;
  readonly source: string | undefined;
  /** Absent when no account was found. */
  readonly accountId?: string | undefined;
}

/** The facts about an account that a login has found out when it is refused. */
export interface LoginFacts {
  /** Absent when no account was found. */
  readonly accountId?: string | undefined;
  /** The reason for `wrong_credentials`. Default `unknown_email`. */
  readonly reason?: LoginFailure;
  /** True when the same guess was counted before. */
  readonly isRepeated?: boolean | undefined;
}

export interface LoginPlace extends RefusalPlace, LoginFacts {
  readonly emailDigest: string;
}

export interface TokenPlace extends RefusalPlace {
  /** `undefined` until the token is verified. */
  readonly accountId: string | undefined;
}

export interface OwnershipPlace extends RefusalPlace {
  readonly accountId: string;
  /** False for a finding that is only reported. */
  readonly enforced: boolean;
}

/**
 * Reports a refused login as the event that the catalogue names for its code. Errors without an event are not reported.
 * `describe` is called only when there is a listener.
 */
export function reportLoginRefusal(error: unknown, describe: () => LoginPlace): void {
  if (isReportedAs('login_failed', error)) {
    emit(() => {
      const place = describe();
      const reason = error.code === 'account_disabled' ? error.code : (place.reason ?? 'unknown_email');
      return { type: 'login_failed', ...guessOf(place, error), reason };
    });
  } else if (isReportedAs('login_throttled', error)) {
    const retryAfterSeconds = Number(error.headers['Retry-After']);
    emit(() => ({ type: 'login_throttled', ...guessOf(describe(), error), retryAfterSeconds }));
  } else if (isReportedAs('login_shed', error)) {
    emit(() => ({ type: 'login_shed', ...loginOf(describe(), error) }));
  } else reportAnyRefusal(error, describe);
}

function placeOf({ realm, source, accountId }: RefusalPlace, { detail }: AuthError) {
  return { realm, source, accountId, detail };
}

function loginOf(place: LoginPlace, error: AuthError) {
  return { ...placeOf(place, error), emailDigest: place.emailDigest };
}

function guessOf(place: LoginPlace, error: AuthError) {
  return { ...loginOf(place, error), ...(place.isRepeated && { repeated: true as const }) };
}

export function reportTokenRefusal(error: unknown, describe: () => TokenPlace): void {
  if (isReportedAs('token_refused', error)) {
    emit(() => ({ type: 'token_refused', ...placeOf(describe(), error), reason: error.code }));
  } else reportAnyRefusal(error, describe);
}

export function reportOwnershipRefusal(error: unknown, describe: () => OwnershipPlace): void {
  if (isReportedAs('ownership_refused', error)) {
    emit(() => {
      const { realm, source, accountId, enforced } = describe();
      const { code: reason, detail, referenceNames } = error;
      return { type: 'ownership_refused', realm, source, accountId, enforced, reason, detail, referenceNames };
    });
  } else reportTokenRefusal(error, describe);
}

/** Reports a refusal that a login and a guarded request have in common. */
function reportAnyRefusal(error: unknown, describe: () => RefusalPlace): void {
  if (isReportedAs('source_refused', error)) {
    emit(() => ({ type: 'source_refused', ...placeOf(describe(), error) }));
  } else if (isReportedAs('store_failed', error)) {
    emit(() => {
      const { realm, source } = describe();
      const { code: reason, detail, cause } = error;
      return { type: 'store_failed', realm, source, reason, detail, cause };
    });
  }
}

export function isReportedAs<Type extends AuthEvent['type']>(
  type: Type,
  error: unknown,
): error is AuthError & { readonly code: CodeOfEvent<Type> } {
  return error instanceof AuthError && entryOf(error.code).event === type;
}
