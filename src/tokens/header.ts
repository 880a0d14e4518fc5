import { isUtf8 } from 'node:buffer';
import type { Key } from './keys.js';
import { createWarn } from '../events/warning.js';
import { invalidToken, type TokenRules } from './rules.js';

/** RFC 7515 section 7.1. */
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** RFC 9068 section 2.1. The prefix can be left out (RFC 7515 section 4.1.9). */
const ACCESS_TOKEN_TYPE = /^(?:application\/)?at\+jwt$/i;

const warn = createWarn();

const UNKNOWN_KID =
  'A token was refused, because its kid names none of the keys of this process. If it came from your own login, login and ' +
  'guard have different secrets or keys, for example one with quotes or a line end around it. Anybody can cause this warning with a token of another service.';

/** @throws AuthError for a text that is not a compact JWS, or a broken rule on headers */
export function keyFor(token: string, ring: ReadonlyMap<string, Key>, { realm }: Pick<TokenRules, 'realm'>): Key {
  if (typeof token !== 'string' || !COMPACT_JWS.test(token)) throw invalidToken(realm, 'it is not a compact JWS');
  const header = parseObject(Buffer.from(token.slice(0, token.indexOf('.')), 'base64url'));
  if (header === undefined) throw invalidToken(realm, 'its header is not a JSON object in UTF-8');
  const { kid, typ, alg } = header;
  const key = typeof kid === 'string' ? ring.get(kid) : undefined;
  if ('crit' in header) throw invalidToken(realm, 'its header has crit');
  if (typeof typ !== 'string' || !ACCESS_TOKEN_TYPE.test(typ)) throw invalidToken(realm, 'its typ is not at+jwt');
  if (key === undefined) {
    warn('EMA_UNKNOWN_KID', UNKNOWN_KID);
    throw invalidToken(realm, 'its kid names none of these keys, as when login and guard have different secrets');
  }
  if (key.algorithm !== alg) throw invalidToken(realm, "its alg is not its key's algorithm");
  return key;
}

function parseObject(bytes: Buffer): Readonly<Record<string, unknown>> | undefined {
  if (!isUtf8(bytes)) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
