import type { IncomingMessage } from 'node:http';
import { createWarn } from '../events/warning.js';
import { hasLeft } from './disconnect.js';
import { isProxyAddress, parseAddress, sourcePrefix } from '../addresses/address.js';
import { isInSources } from '../addresses/allowed-sources.js';
import { AuthError, sourceNotAllowed } from '../errors/auth-error.js';

interface ProxiedRequest extends IncomingMessage {
  readonly ip?: string;
  readonly app?: { get(setting: string): unknown };
}

export interface Source {
  /** `req.ip`, with an IPv6 address cut to /64. `undefined` when the address of the caller is undetermined. */
  readonly source: string | undefined;
  /**
   * The source or, when the source is undetermined, the address of the peer, which is the machine at the other end of
   * the connection.
   */
  readonly address: string;
  /** The whole address of the caller, as it was written. `undefined` when it is undetermined. */
  readonly ip: string | undefined;
}

const IS_TRUE = settingProblem('is true, which lets callers choose the address that they are counted under');
const IS_OFF = settingProblem('is off, and a proxy in front sends X-Forwarded-For, so all callers have its address');
const NO_EXPRESS =
  'A proxy in front sends X-Forwarded-For, and a request that did not pass Express has no req.ip. Give ' +
  'guard.authenticate the address of the caller as source.';
const WRONG_SOURCE = 'The source that guard.authenticate got is not an address.';
const THROWS = settingProblem('is a function that throws');
const NO_ADDRESS = settingProblem('leaves something in req.ip that is not an address');

const UNSEEN_SOURCE =
  'This account may be used from certain addresses only, and the service cannot see yours. Tell its operator.';

const HOUR_MS = 60 * 60 * 1000;
const warn = createWarn();

/**
 * Determines the source of a request. `source` is `undefined` when the caller has disconnected, and in four cases in
 * which a warning names the setting once:
 * - Express does not know about a proxy in front.
 * - `trust proxy` is `true`, so callers choose their address.
 * - `trust proxy` is a function that throws.
 * - `req.ip` is not an address.
 */
export function determineSource(req: IncomingMessage, given?: string): Source {
  if (given === undefined) {
    const { problem, ...source } = examine(req);
    if (problem !== undefined) warn('EMA_TRUST_PROXY', problem);
    return source;
  }
  const source = sourcePrefix(given);
  if (source === undefined) warn('EMA_TRUST_PROXY', WRONG_SOURCE);
  return { source, address: source ?? given, ip: source && given };
}

/**
 * Reads the address of the peer, which Node.js then keeps. Otherwise, a caller that leaves while the store is read has
 * no address any more, and an allowed one would be reported as refused.
 */
export function keepAddress({ socket }: IncomingMessage): string | undefined {
  return (socket as IncomingMessage['socket'] | undefined)?.remoteAddress;
}

/**
 * Checks that an account may be used from where a request comes.
 * @param allowed the `allowedSources` of the account
 * @param given the address of the caller, where the host has determined it
 * @throws AuthError `source_not_allowed`
 */
export function requireAllowedSource(
  req: IncomingMessage,
  allowed: readonly string[] | null | undefined,
  given?: string,
): void {
  if (allowed == null) return;
  const { ip } = determineSource(req, given);
  if (ip === undefined) {
    remindOfSource(req);
    throw new AuthError('source_not_allowed', { description: UNSEEN_SOURCE });
  }
  if (!isInSources(allowed, ip)) throw sourceNotAllowed(String(parseAddress(ip)));
}

/**
 * Repeats the warning after a refused login, at most once an hour, because an undetermined source can be the reason.
 */
export function remindOfSource(req: IncomingMessage): void {
  const { problem } = examine(req);
  if (problem !== undefined) warn('EMA_TRUST_PROXY', problem, HOUR_MS);
}

function examine(req: IncomingMessage): Source & { readonly problem?: string } {
  const { app, headers } = req as ProxiedRequest;
  const trust = app?.get('trust proxy');
  // Serverless adapters have no socket.
  const socket = req.socket as IncomingMessage['socket'] | undefined;
  const peer = socket?.remoteAddress ?? '';
  const undetermined = { source: undefined, address: sourcePrefix(peer) ?? peer, ip: undefined };
  if (trust === true) return { ...undetermined, problem: IS_TRUE };
  const isOff = trust === undefined || trust === false || trust === 0;
  if (isOff && headers['x-forwarded-for'] !== undefined && isProxyAddress(peer)) {
    return { ...undetermined, problem: app === undefined ? NO_EXPRESS : IS_OFF };
  }
  let ip = '';
  let problem = NO_ADDRESS;
  try {
    ip = (req as ProxiedRequest).ip ?? peer;
  } catch {
    problem = THROWS;
  }
  const source = sourcePrefix(ip);
  if (source !== undefined) return { source, address: source, ip };
  // The socket loses its address when the caller disconnects, which says nothing about the setting.
  const isGone = peer === '' && socket && hasLeft(socket);
  return isGone ? undetermined : { ...undetermined, problem };
}

function settingProblem(problem: string): string {
  return (
    `Express's setting "trust proxy" ${problem}. Failed logins are counted by email and by proxy until it names your ` +
    "proxies: app.set('trust proxy', 'loopback, 10.0.0.0/8') or the number of proxies in front."
  );
}
