import { types } from 'node:util';
import { type AuthError, unavailable } from '../errors/auth-error.js';
import { callAsync, within } from '../base/host-calls.js';
import { checkMethods, isFilledString } from '../base/check-options.js';
import type { KnownFormat, PasswordFormat } from './format.js';

/** A computation that never settles would hold its slot for ever. */
export const TIMEOUT_MS = 5_000;

const HINT = 'A format is { name, identify(hash), verify(password, hash) }.';

/** @throws TypeError unless `formats` is a list of formats with different names */
export function parseFormats(where: string, formats: unknown): readonly KnownFormat[] {
  if (!Array.isArray(formats)) throw new TypeError(`${where} must be a list of formats. ${HINT}`);
  const known = formats.map(toKnownFormat);
  const twice = known.find(({ name }, index) => known.findIndex((other) => other.name === name) < index);
  if (twice) throw new TypeError(`${where} has two formats with the name ${twice.name}. Give each another name.`);
  return known;
}

function toKnownFormat(format: PasswordFormat): KnownFormat {
  checkMethods('createPasswords: a format', format, ['identify', 'verify'], HINT);
  if (!isFilledString(format.name)) throw new TypeError(`createPasswords: a format has no name. ${HINT}`);
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

/** Until a late computation settles, further ones are refused at once. */
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
  return unavailable(`The password format ${name} failed.`, cause);
}

/** The promise of an async function would count as true. */
function returnsPromise(call: () => unknown): boolean {
  try {
    const result = call();
    if (types.isPromise(result)) result.catch(() => undefined);
    return types.isPromise(result);
  } catch {
    // Throws again at the login, where the host sees the error.
    return false;
  }
}
