import { callStore } from '../store/call-store.js';
import type { Credentials } from '../store/user-store.js';
import { reportLogin } from './report-login.js';
import type { LoginAttempt, LoginConfig } from './verify-credentials.js';

/**
 * Replaces a hash of an older algorithm or a lower cost after a good login. Nobody waits for it and it throws nothing:
 * what fails now is tried again at the next login.
 */
export async function upgradeHash(config: LoginConfig, attempt: LoginAttempt, found: Credentials): Promise<void> {
  const { userStore, passwords, storeTimeoutMs, realm } = config;
  const { account, passwordHash } = found;
  if (passwordHash === null || userStore.replacePasswordHash === undefined || !('upgrade' in passwords)) return;
  try {
    const next = await passwords.upgrade(attempt.body.password, passwordHash);
    if (next === undefined) return;
    const isReplaced = await callStore(
      'replacePasswordHash',
      storeTimeoutMs,
      async () => (await userStore.replacePasswordHash?.(account.id, passwordHash, next)) === true,
    );
    reportLogin(
      realm,
      attempt,
      isReplaced ? { type: 'hash_upgraded' } : { type: 'hash_not_upgraded', cause: undefined },
    );
  } catch (cause) {
    reportLogin(realm, attempt, { type: 'hash_not_upgraded', cause });
  }
}
