import type { IncomingMessage } from 'node:http';
import { BlockList } from 'node:net';
import { emitWarning } from 'node:process';
import { sourcePrefix } from '../throttle/source-prefix.js';

interface ProxiedRequest extends IncomingMessage {
  readonly ip?: string;
  readonly app?: { get(setting: string): unknown };
}

/** Where a proxy of the host's own stands: loopback, private, shared and link-local addresses (RFC 6890). */
const NEARBY = new BlockList();
for (const [network, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
] as const) {
  NEARBY.addSubnet(network, bits, 'ipv4');
}
NEARBY.addAddress('::1', 'ipv6');
NEARBY.addSubnet('fc00::', 7, 'ipv6');
NEARBY.addSubnet('fe80::', 10, 'ipv6');

const warned = new Set<string>();

/**
 * Where a request comes from, as far as it can be believed: `req.ip`, an IPv6 address cut to /64.
 * @returns `undefined` behind a proxy that Express was not told of, and with `trust proxy: true`, which lets callers
 *   choose their address; a warning names the setting once
 */
export function sourceOf(req: IncomingMessage): string | undefined {
  const { ip, app, socket, headers } = req as ProxiedRequest;
  const trust = app?.get('trust proxy');
  const peer = sourcePrefix(socket?.remoteAddress ?? '') === undefined ? '' : (socket.remoteAddress ?? '');
  if (trust === true) {
    warnOnce('is true, which lets callers choose the address that they are counted under');
    return undefined;
  }
  const isUntold = trust === undefined || trust === false || trust === 0;
  if (isUntold && headers['x-forwarded-for'] !== undefined && isNearby(peer)) {
    warnOnce('is off, and a proxy in front sends X-Forwarded-For, so all callers have its address');
    return undefined;
  }
  return sourcePrefix(ip ?? peer);
}

function isNearby(address: string): boolean {
  const bare = address.replace(/^::ffff:(?=\d+\.)/i, '');
  return bare.includes(':') ? NEARBY.check(bare, 'ipv6') : bare !== '' && NEARBY.check(bare, 'ipv4');
}

/** Once a process and reason: it is the same mistake on every request. */
function warnOnce(reason: string): void {
  if (warned.has(reason)) return;
  warned.add(reason);
  emitWarning(
    `Express's setting "trust proxy" ${reason}. Failed logins are counted by email alone until it names your proxies: ` +
      "app.set('trust proxy', 'loopback, 10.0.0.0/8') or the number of proxies in front.",
    { type: 'ExpressMerchantAuthWarning', code: 'EMA_TRUST_PROXY' },
  );
}
