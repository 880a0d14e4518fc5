import type { OptionParser } from '../options/parse-options.js';
import { DEFAULT_REALM } from './auth-error.js';

/** The characters of a quoted string of RFC 9110 section 5.6.4 that need no escape. */
const REALM = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/;

/** Parses the option `realm`. */
export const parseRealm: OptionParser<string> = (where, value = DEFAULT_REALM) => {
  if (typeof value === 'string' && REALM.test(value)) return value;
  throw new TypeError(`${where} must be visible ASCII without quotes and backslashes.`);
};
