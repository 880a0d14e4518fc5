import type { OptionParser } from '../base/parse-options.js';
import { DEFAULT_REALM } from '../errors/auth-error.js';

/** The characters that need no escape in the quoted string of a challenge (RFC 9110 section 5.6.4). */
const REALM = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/;

export const parseRealm: OptionParser<string> = (where, value = DEFAULT_REALM) => {
  if (typeof value === 'string' && REALM.test(value)) return value;
  throw new TypeError(`${where} must be visible ASCII without quotes and backslashes.`);
};
