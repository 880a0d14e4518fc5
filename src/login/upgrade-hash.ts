import { emit } from '../events/auth-event.js';
import type { Source } from '../sources/determine-source.js';
import { callStore } from '../store/call-store.js';
import type { Credentials } from '../store/user-store.js';
import type { LoginIdentity } from './login-identity.js';
import type { LoginConfig } from './login-options.js';

export interface GoodLogin {
  readonly password: string;
  readonly identity: LoginIdentity;
  readonly source: Source;
}

/**
 * Replaces a hash of an older algorithm or a lower cost after a good login. Never rejects, because nothing waits for
 * the upgrade. After a failure, the next login tries again.
 */
export async function upgradeHash(config: LoginConfig, login: GoodLogin, found: Credentials): Promise<void> {
  const { userStore, passwords, storeTimeoutMs, realm } = config;
  const { account, passwordHash } = found;
  if (passwordHash === null || userStore.replacePasswordHash === undefined) return;
  const { source } = login.source;
  const { emailDigest } = login.identity;
  const report = (outcome: { type: 'hash_upgraded' } | { type: 'hash_not_upgraded'; cause: unknown }) => {
    emit(() => ({ ...outcome, realm, source, emailDigest, accountId: account.id }));
  };
  try {
    const next = await passwords.upgrade(login.password, passwordHash);
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
