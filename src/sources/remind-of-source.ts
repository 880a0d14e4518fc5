import { createWarn, HOUR_MS } from '../events/warning.js';
import { isProxyAddress } from './address.js';
import { remindOfProblem, type Source } from './determine-source.js';

const IS_SHARED =
  'A private address has reached the limit of failed logins for one source. If it is a proxy, a balancer or a NAT in ' +
  'front, all callers share this address and this limit: let it send X-Forwarded-For, and set Express\'s "trust proxy" ' +
  'to its address.';

const warn = createWarn();

/**
 * Warns at most once an hour. A proxy that writes no header shows only by the limit that its callers reach together.
 */
export function remindOfSource(source: Source, isSourceLimit: boolean): void {
  remindOfProblem(source);
  const { ip = '', problem } = source;
  if (problem === undefined && isSourceLimit && isProxyAddress(ip)) warn('EMA_TRUST_PROXY', IS_SHARED, HOUR_MS);
}
