import type { IncomingMessage } from 'node:http';
import { createWarn, HOUR_MS } from '../events/warning.js';
import { isProxyAddress, sourcePrefix } from './address.js';
import { type Connection, hasLeft } from './peer.js';
import { proxyHeaderIn } from './proxy-headers.js';

interface ProxiedRequest extends IncomingMessage {
  readonly ip?: string;
  /** The addresses that Express took from `X-Forwarded-For`. */
  readonly ips?: readonly string[];
  readonly app?: { get(setting: string): unknown };
}

export interface Source {
  /** `req.ip`, with an IPv6 address cut to /64. `undefined` when the caller's address is undetermined. */
  readonly source: string | undefined;
  /** The source or, when that is undetermined, the peer (or the text that `authenticate` was given). */
  readonly address: string;
  /** The whole address as it was written. `undefined` when it is undetermined. */
  readonly ip: string | undefined;
  /** The warning about a setting that leaves the source undetermined. */
  readonly problem?: string;
}

const NAME_PROXIES =
  "set it to your proxies: app.set('trust proxy', 'loopback, 10.0.0.0/8') or the number of proxies in front. Until then, " +
  'failed logins are counted by email and by proxy.';
const GIVE_SOURCE = 'Give guard.authenticate the address of the caller as source.';
const IS_TRUE = settingProblem('is true, which lets callers choose the address that they are counted under');
const WRONG_SOURCE = 'The source that guard.authenticate got is not an address.';
const THROWS = settingProblem('is a function that throws');
const NO_ADDRESS = settingProblem('leaves something in req.ip that is not an address');
const IS_SHARED =
  'A private address has reached the limit of failed logins for one source. If it is a proxy, a balancer or a NAT in ' +
  'front, all callers share this address and this limit: let it send X-Forwarded-For, and set Express\'s "trust proxy" ' +
  'to its address.';

const warn = createWarn();

/**
 * `source` is `undefined` when the caller has disconnected, and when the setting "trust proxy" leaves the address
 * unknown or lets the caller choose it. A warning names the problem of the setting once.
 */
export function determineSource(req: IncomingMessage, given?: string): Source {
  if (given === undefined) {
    const source = examine(req);
    if (source.problem !== undefined) warn('EMA_TRUST_PROXY', source.problem);
    return source;
  }
  const source = sourcePrefix(given);
  if (source === undefined) warn('EMA_TRUST_PROXY', WRONG_SOURCE);
  return { source, address: source ?? given, ip: source && given };
}

/**
 * Warns again once an hour, because the setting can be the reason of a refusal. A proxy that writes no header shows only
 * by the limit of a source, which its callers reach together.
 */
export function remindOfProblem({ ip = '', problem }: Source, isSourceLimit = false): void {
  const message = problem ?? (isSourceLimit && isProxyAddress(ip) ? IS_SHARED : undefined);
  if (message !== undefined) warn('EMA_TRUST_PROXY', message, HOUR_MS);
}

function examine(req: ProxiedRequest): Source {
  const { app, headers } = req;
  // Serverless adapters have no socket.
  const socket = req.socket as Connection | undefined;
  const peer = socket?.remoteAddress ?? '';
  const undetermined = { source: undefined, address: sourcePrefix(peer) ?? peer, ip: undefined };
  if (app?.get('trust proxy') === true) return { ...undetermined, problem: IS_TRUE };
  // A socket also loses its address when the caller disconnects.
  const isGone = peer === '' && socket !== undefined && hasLeft(socket);
  try {
    const ip = req.ip ?? peer;
    const { ips = [] } = req;
    const header = ip === peer && ips.length === 0 && isProxyAddress(peer) ? proxyHeaderIn(headers) : undefined;
    if (header !== undefined) return { ...undetermined, problem: unusedHeader(header, app) };
    const source = sourcePrefix(ip);
    if (source !== undefined) return { source, address: source, ip };
    return isGone ? undetermined : { ...undetermined, problem: NO_ADDRESS };
  } catch {
    return isGone ? undetermined : { ...undetermined, problem: THROWS };
  }
}

/** @param app `undefined` for a request that did not pass Express */
function unusedHeader(header: string, app: ProxiedRequest['app']): string {
  const came = `A request from a private address has the header ${header}`;
  const doubt = 'If your proxy does not write this header, a caller did: do not set it.';
  if (app === undefined) return `${came}, and did not pass Express. ${GIVE_SOURCE} ${doubt}`;
  const trust = app.get('trust proxy') ?? false;
  const setting = typeof trust === 'function' ? 'a function' : JSON.stringify(trust);
  return (
    `${came}, and Express's setting "trust proxy" (${setting}) took no address from X-Forwarded-For, so all callers ` +
    `have the address of the proxy. Let the proxy send X-Forwarded-For, and ${NAME_PROXIES} ${doubt}`
  );
}

function settingProblem(problem: string): string {
  return `Express's setting "trust proxy" ${problem}. Instead, ${NAME_PROXIES}`;
}
