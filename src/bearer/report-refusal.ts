import type { IncomingMessage } from 'node:http';
import { isError } from '../errors/as-error.js';
import { AuthError } from '../errors/auth-error.js';
import { emit } from '../events/auth-event.js';
import { sourceOf } from '../http/source.js';

/**
 * Reports why a guarded request was refused.
 * @param accountId the `sub` of a good token; `undefined` when there was none
 */
export function reportRefusal(
  error: unknown,
  req: IncomingMessage,
  realm: string,
  accountId: string | undefined,
): void {
  if (!isError(error) || !(error instanceof AuthError)) return;
  const { code, cause } = error;
  switch (code) {
    case 'missing_token':
    case 'invalid_token':
    case 'expired_token':
    case 'revoked_token':
      emit(() => ({ type: 'token_refused', reason: code, accountId, realm, source: sourceOf(req) }));
      return;
    case 'missing_reference':
    case 'invalid_reference':
    case 'foreign_reference':
      emit(() => ({
        type: 'ownership_refused',
        reason: code,
        accountId: accountId ?? '',
        realm,
        source: sourceOf(req),
      }));
      return;
    case 'store_unavailable':
    case 'malformed_account':
      emit(() => ({ type: 'store_failed', reason: code, cause, realm, source: sourceOf(req) }));
  }
}
