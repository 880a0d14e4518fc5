import type { IncomingMessage } from 'node:http';
import {
  AuthError,
  createLogin,
  createPasswords,
  type LoginOptions,
  type PasswordsOptions,
  type UserStore,
} from '../../src/index.js';
import { quickAccountStore, quickPasswords } from './quick-passwords.js';

/** Returns a request without a connection, like those of serverless adapters. */
export function requestFrom(ip: string): IncomingMessage {
  return { headers: {}, ip } as unknown as IncomingMessage;
}

/** Resolves to the code of the refusal, to the message of another error, or to "good". */
export function outcomeOfCall(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'good',
    (error: unknown) => (error instanceof AuthError ? error.code : (error as Error).message),
  );
}

export interface HeldLoginOptions extends LoginOptions {
  readonly store?: Partial<UserStore>;
  readonly hashing?: PasswordsOptions;
}

/** A login whose comparisons the test holds. One of them runs at a time, and without a throttle all sources are known. */
export function holdLogin({ store, hashing, ...options }: HeldLoginOptions = {}) {
  const quick = quickPasswords(createPasswords, { maxConcurrentHashes: 1, ...hashing });
  const { passwords } = quick;
  const login = createLogin({ ...quickAccountStore(), ...store }, { passwords, throttle: false, ...options });
  const attempt = (identifier: string, password: string, ip: string) =>
    outcomeOfCall(login.attempt(requestFrom(ip), { identifier, password }));
  return { quick, login, attempt, end: quick.hold() };
}
