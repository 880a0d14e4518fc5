import { emit, type LoginEventBase } from '../events/auth-event.js';
import { callStore } from '../store/call-store.js';
import type { Credentials } from '../store/user-store.js';
import type { LoginConfig } from './login-options.js';

/**
 * Replaces a hash of an older algorithm or a lower cost. Never rejects: nothing waits for it, and the next login tries
 * again.
 */
export async function upgradeHash(
  { userStore, passwords, storeTimeoutMs }: LoginConfig,
  password: string,
  { account, passwordHash }: Credentials,
  place: () => Omit<LoginEventBase, 'time'>,
): Promise<void> {
  if (passwordHash === null || userStore.replacePasswordHash === undefined) return;
  try {
    const next = await passwords.upgrade(password, passwordHash);
    if (next === undefined) return;
    const isReplaced = await callStore(
      'replacePasswordHash',
      storeTimeoutMs,
      async () => (await userStore.replacePasswordHash?.(account.id, passwordHash, next)) === true,
    );
    if (isReplaced) emit(() => ({ type: 'hash_upgraded', ...place() }));
    else emit(() => ({ type: 'hash_not_upgraded', ...place(), cause: undefined }));
  } catch (cause) {
    emit(() => ({ type: 'hash_not_upgraded', ...place(), cause }));
  }
}
