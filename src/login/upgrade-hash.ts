import { emit } from '../events/auth-event.js';
import { callStore } from '../store/call-store.js';
import type { Credentials } from '../store/user-store.js';
import type { LoginConfig } from './login-options.js';
import type { LoginAttempt } from './verify-credentials.js';

/**
 * Replaces a hash of an older algorithm or a lower cost after a good login. It never rejects, because nothing waits for
 * it. After a failure, the next login tries again.
 */
export async function upgradeHash(config: LoginConfig, attempt: LoginAttempt, found: Credentials): Promise<void> {
  const { userStore, passwords, storeTimeoutMs, realm } = config;
  const { account, passwordHash } = found;
  if (passwordHash === null || userStore.replacePasswordHash === undefined) return;
  const report = (outcome: { type: 'hash_upgraded' } | { type: 'hash_not_upgraded'; cause: unknown }) => {
    const { source, identity } = attempt;
    emit(() => ({
      ...outcome,
      realm,
      source: source.source,
      emailDigest: identity.emailDigest,
      accountId: account.id,
    }));
  };
  try {
    const next = await passwords.upgrade(attempt.password, passwordHash);
    if (next === undefined) return;
    const isReplaced = await callStore(
      'replacePasswordHash',
      storeTimeoutMs,
      async () => (await userStore.replacePasswordHash?.(account.id, passwordHash, next)) === true,
    );
    report(isReplaced ? { type: 'hash_upgraded' } : { type: 'hash_not_upgraded', cause: undefined });
  } catch (cause) {
    report({ type: 'hash_not_upgraded', cause });
  }
}
