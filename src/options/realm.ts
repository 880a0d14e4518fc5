import type { OptionParser } from './parse-options.js';

export const DEFAULT_REALM = 'merchant';

/** The characters of a quoted string of RFC 9110 section 5.6.4 that need no escape. */
const REALM = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/;

/** Parses a realm, which challenges quote. */
export const parseRealm: OptionParser<string> = (where, value = DEFAULT_REALM) => {
  if (typeof value === 'string' && REALM.test(value)) return value;
  throw new TypeError(`${where} must be visible ASCII without quotes and backslashes.`);
};
