import { AuthError } from '../errors/auth-error.js';
import { emit, type EventDetails } from '../events/auth-event.js';
import { isUsableHash, type Passwords } from '../passwords/passwords.js';
import type { LoginAttempt } from './verify-credentials.js';

type LoginDetails = Extract<EventDetails, { emailDigest: string }>;
/** What is particular to one event of a login. */
export type LoginOutcome = LoginDetails extends infer Event
  ? Event extends LoginDetails
    ? Omit<Event, 'realm' | 'source' | 'emailDigest' | 'accountId'>
    : never
  : never;

/** Reports one outcome of a login. */
export function reportLogin(realm: string, attempt: LoginAttempt, outcome: LoginOutcome): void {
  emit(() => ({
    ...outcome,
    realm,
    source: attempt.source,
    emailDigest: attempt.identity?.emailDigest ?? '',
    accountId: attempt.found?.account.id,
  }));
}

/** Reports why a login failed; `passwords` tells a hash that nothing can match from a wrong password. */
export function reportFailedLogin(
  realm: string,
  attempt: LoginAttempt,
  error: unknown,
  passwords: Pick<Passwords, 'verify'>,
): void {
  if (!(error instanceof AuthError)) return;
  switch (error.code) {
    case 'too_many_attempts':
      reportLogin(realm, attempt, { type: 'login_throttled', retryAfterSeconds: Number(error.headers['Retry-After']) });
      return;
    case 'too_busy':
      reportLogin(realm, attempt, { type: 'login_shed' });
      return;
    case 'account_disabled':
      reportLogin(realm, attempt, { type: 'login_failed', reason: 'account_disabled' });
      return;
    case 'wrong_credentials':
      reportLogin(realm, attempt, {
        type: 'login_failed',
        get reason() {
          return reasonOf(attempt, passwords);
        },
      });
      return;
    case 'store_unavailable':
    case 'malformed_account': {
      const { code: reason, cause } = error;
      emit(() => ({ type: 'store_failed', reason, cause, realm, source: attempt.source }));
    }
  }
}

function reasonOf({ found }: LoginAttempt, passwords: Pick<Passwords, 'verify'>) {
  if (found == null) return 'unknown_email';
  const { passwordHash } = found;
  const isUsable = passwordHash !== null && isUsableHash(passwords, passwordHash);
  return isUsable ? 'wrong_password' : 'no_usable_hash';
}
