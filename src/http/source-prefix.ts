import { isIPv4, isIPv6, SocketAddress } from 'node:net';

/**
 * The part of an address that one caller has: an IPv4 address, also one mapped into IPv6; of an IPv6 address the first
 * 64 bits, since a host is given all the rest to choose from (RFC 4291 section 2.5.1).
 * @returns `undefined` for what is no address
 */
export function sourcePrefix(address: string): string | undefined {
  if (isIPv4(address)) return address;
  const [bare = ''] = address.split('%');
  if (!isIPv6(bare)) return undefined;
  const canonical = new SocketAddress({ address: bare, family: 'ipv6' }).address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(canonical)?.[1];
  return mapped ?? `${groupsOf(canonical).slice(0, 4).join(':')}::/64`;
}

/** The groups of an IPv6 address in its canonical spelling, eight unless it ends in an IPv4 address. */
function groupsOf(canonical: string): string[] {
  const [head = [], tail] = canonical.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  if (tail === undefined) return head;
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => '0'), ...tail];
}
