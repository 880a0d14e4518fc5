import type { OptionParser } from '../base/parse-options.js';
import { DEFAULT_REALM } from '../errors/auth-error.js';

/** Needs no escape in a challenge's quoted string (RFC 9110 section 5.6.4). */
const REALM = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/;

export const parseRealm: OptionParser<string> = (where, value = DEFAULT_REALM) => {
  if (typeof value === 'string' && REALM.test(value)) return value;
  throw new TypeError(`${where} must be visible ASCII without quotes and backslashes.`);
};
