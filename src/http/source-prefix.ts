import ipaddr from 'ipaddr.js';

/** The address ranges of RFC 6890 where a proxy of the host can be. */
const PROXY_RANGES: ReadonlySet<string> = new Set([
  'loopback',
  'private',
  'carrierGradeNat',
  'linkLocal',
  'uniqueLocal',
]);

/** Matches an address with the port or the brackets that some proxies write: `203.0.113.7:4711`, `[2001:db8::1]:80`. */
const WITH_PORT = /^(?:\[(?<ipv6>[^\]]+)\]|(?<ipv4>[\d.]+))(?::\d+)?$/;

/**
 * Returns the part of an address that belongs to one caller. That is a whole IPv4 address, also one mapped into IPv6.
 * For IPv6 it is the first 64 bits, because a machine chooses the other 64 itself (RFC 4291 section 2.5.1). Returns
 * `undefined` for a text that is not an address.
 */
export function sourcePrefix(text: string): string | undefined {
  const address = parseAddress(text);
  if (!(address instanceof ipaddr.IPv6)) return address?.toString();
  const network = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}

/** Returns true for an address where a proxy of the host can be: loopback, private, shared or link-local. */
export function isProxyAddress(text: string): boolean {
  return PROXY_RANGES.has(parseAddress(text)?.range() ?? '');
}

function parseAddress(written: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const { ipv4, ipv6 } = WITH_PORT.exec(written)?.groups ?? {};
  const text = ipv6 ?? ipv4 ?? written;
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text) ? ipaddr.process(text) : undefined;
}
