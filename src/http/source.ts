import type { IncomingMessage } from 'node:http';
import { createWarn } from '../events/warning.js';
import { isProxyAddress, sourcePrefix } from './source-prefix.js';

interface ProxiedRequest extends IncomingMessage {
  readonly ip?: string;
  readonly app?: { get(setting: string): unknown };
}

/** The origin of a request. */
export interface Source {
  /** `req.ip`, with an IPv6 address cut to /64; `undefined` when it is undetermined. */
  readonly source: string | undefined;
  /** The source, or the peer's own address when the source is undetermined. */
  readonly address: string;
}

const IS_TRUE = 'is true, which lets callers choose the address that they are counted under';
const IS_OFF = 'is off, and a proxy in front sends X-Forwarded-For, so all callers have its address';
const NO_ADDRESS = 'leaves something in req.ip that is not an address';

const HOUR_MS = 60 * 60 * 1000;
const warn = createWarn();

/**
 * Determines the source of a request. It is undetermined behind a proxy that Express does not know, with
 * `trust proxy: true`, and where `req.ip` is not an address. A warning names the setting once.
 */
export function determineSource(req: IncomingMessage): Source {
  const { source, address, problem } = examine(req);
  if (problem !== undefined) warn('EMA_TRUST_PROXY', warningOf(problem));
  return { source, address };
}

/** Returns the source for an audit event. */
export function sourceOf(req: IncomingMessage): string | undefined {
  return determineSource(req).source;
}

/** Warns again, at most each hour, because an undetermined source costs a merchant its login. */
export function remindOfSource(req: IncomingMessage): void {
  const { problem } = examine(req);
  if (problem !== undefined) warn('EMA_TRUST_PROXY', warningOf(problem), HOUR_MS);
}

function examine(req: IncomingMessage): Source & { readonly problem?: string } {
  const { ip, app, socket, headers } = req as ProxiedRequest;
  const trust = app?.get('trust proxy');
  // Serverless adapters give requests without a socket.
  const peer = (socket as IncomingMessage['socket'] | undefined)?.remoteAddress ?? '';
  const undetermined = { source: undefined, address: sourcePrefix(peer) ?? peer };
  if (trust === true) return { ...undetermined, problem: IS_TRUE };
  const isOff = trust === undefined || trust === false || trust === 0;
  if (isOff && headers['x-forwarded-for'] !== undefined && isProxyAddress(peer)) {
    return { ...undetermined, problem: IS_OFF };
  }
  const source = sourcePrefix(ip ?? peer);
  return source === undefined ? { ...undetermined, problem: NO_ADDRESS } : { source, address: source };
}

function warningOf(problem: string): string {
  return (
    `Express's setting "trust proxy" ${problem}. Failed logins are counted by email and by proxy until it names your ` +
    "proxies: app.set('trust proxy', 'loopback, 10.0.0.0/8') or the number of proxies in front."
  );
}
