import { AuthError } from '../errors/auth-error.js';
import { isProxyAddress, parseAddress } from './address.js';
import { remindOfProblem, type Source } from './determine-source.js';
import { isInSources } from './ranges.js';

/** Leaves out the address, because it is a value of the caller. */
const DETAIL = 'The account may not be used from the address of the caller.';

/**
 * @param determine returns the source. Called only for an account with a list, because determining takes time
 * @throws AuthError `source_not_allowed`
 */
export function requireAllowedSource(allowed: readonly string[] | null | undefined, determine: () => Source): void {
  if (allowed == null) return;
  const source = determine();
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
