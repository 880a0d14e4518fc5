import { AuthError } from '../errors/auth-error.js';
import { isProxyAddress, parseAddress } from './address.js';
import { remindOfProblem, type Source } from './determine-source.js';
import { isInSources } from './ranges.js';

/** Leaves out the address, because it is a value of the caller. */
const DETAIL = 'The account may not be used from the address of the caller.';

/** @throws AuthError `source_not_allowed` */
export function requireAllowedSource(allowed: readonly string[], source: Source): void {
  const { ip } = source;
  if (ip === undefined) {
    remindOfProblem(source);
    throw new AuthError('source_not_allowed');
  }
  if (isInSources(allowed, ip)) return;
  // A private address can be that of a proxy. To add it would open the account to all callers behind the proxy.
  if (isProxyAddress(ip)) throw new AuthError('source_not_allowed');
  throw new AuthError('source_not_allowed', { address: String(parseAddress(ip)), detail: DETAIL });
}
