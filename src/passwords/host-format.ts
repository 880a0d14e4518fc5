import { types } from 'node:util';
import { AuthError } from '../errors/auth-error.js';
import { callAsync, within } from '../errors/host-calls.js';
import { checkMethods } from '../options/check-options.js';
import type { KnownFormat, PasswordFormat } from './format.js';

/** Limits a computation, in milliseconds, because one that never settles would hold its slot for ever. */
const TIMEOUT_MS = 5_000;

/**
 * Makes a known format of a format of the host.
 * @throws TypeError for a format that lacks a method, or whose `identify` is async
 */
export function toKnownFormat(format: PasswordFormat): KnownFormat {
  const hint = 'A format is { name, identify(hash), verify(password, hash) }.';
  checkMethods('createPasswords: a format', format, ['identify', 'verify'], hint);
  if (returnsPromise(() => format.identify(''))) {
    throw new TypeError(`createPasswords: identify of the format ${format.name} must not be async.`);
  }
  return {
    name: format.name,
    identify: (hash) => format.identify(hash),
    verify: boundVerify(format),
    isComputable: () => true,
    costText: () => '',
    readsWhole: () => true,
  };
}

/** Bounds the time of a computation. While one that took too long has not settled, further ones are refused at once. */
function boundVerify(format: PasswordFormat): PasswordFormat['verify'] {
  let late = 0;
  return async (password, hash) => {
    if (late > 0) throw unsettled(format);
    let hasSettled = false;
    const settled = callAsync(() => format.verify(password, hash)).finally(() => (hasSettled = true));
    return within(TIMEOUT_MS, () => settled).catch((error: unknown) => {
      if (hasSettled) throw error;
      late += 1;
      const settle = () => void (late -= 1);
      settled.then(settle, settle);
      throw unsettled(format);
    });
  };
}

function unsettled({ name }: PasswordFormat): AuthError {
  const cause = new Error(`verify of the password format ${name} has not settled within ${TIMEOUT_MS} ms`);
  return new AuthError('store_unavailable', { detail: `The password format ${name} failed.`, cause });
}

/** Returns true for an async function, which is a mistake here, because its promise would count as true. */
function returnsPromise(call: () => unknown): boolean {
  try {
    const result = call();
    if (types.isPromise(result)) result.catch(() => undefined);
    return types.isPromise(result);
  } catch {
    // The function throws again at the login, where the host sees the error.
    return false;
  }
}
