import type { IncomingMessage } from 'node:http';
import { createWarnOnce } from '../events/warn-once.js';
import { isProxyAddress, sourcePrefix } from './source-prefix.js';

interface ProxiedRequest extends IncomingMessage {
  readonly ip?: string;
  readonly app?: { get(setting: string): unknown };
}

const warnOnce = createWarnOnce();

/**
 * Returns the source of a request: `req.ip`, with an IPv6 address cut to /64. Returns `undefined` behind a proxy that
 * Express does not know, and with `trust proxy: true`, which lets callers choose their address. A warning names the
 * setting once.
 */
export function sourceOf(req: IncomingMessage): string | undefined {
  const { ip, app, socket, headers } = req as ProxiedRequest;
  const trust = app?.get('trust proxy');
  // Serverless adapters give requests without a socket.
  const peer = (socket as IncomingMessage['socket'] | undefined)?.remoteAddress ?? '';
  if (trust === true) {
    warnOfTrustProxy('is true, which lets callers choose the address that they are counted under');
    return undefined;
  }
  const isOff = trust === undefined || trust === false || trust === 0;
  if (isOff && headers['x-forwarded-for'] !== undefined && isProxyAddress(peer)) {
    warnOfTrustProxy('is off, and a proxy in front sends X-Forwarded-For, so all callers have its address');
    return undefined;
  }
  return sourcePrefix(ip ?? peer);
}

function warnOfTrustProxy(reason: string): void {
  warnOnce(
    'EMA_TRUST_PROXY',
    `Express's setting "trust proxy" ${reason}. Failed logins are counted by email alone until it names your proxies: ` +
      "app.set('trust proxy', 'loopback, 10.0.0.0/8') or the number of proxies in front.",
  );
}
