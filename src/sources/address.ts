import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** @internal */
export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Ranges of RFC 6890 where a proxy of the host can be. */
const PROXY_RANGES: readonly string[] = ['loopback', 'private', 'carrierGradeNat', 'linkLocal', 'uniqueLocal'];

/**
 * The first 96 bits of IPv6 addresses that end in an IPv4 address: mapped (RFC 4291), or translated by SIIT (RFC 7915)
 * or by NAT64 (RFC 6052).
 */
const IPV4_PREFIXES: ReadonlySet<string> = new Set(['0:0:0:0:0:ffff', '0:0:0:0:ffff:0', '64:ff9b:0:0:0:0']);

/** The first 48 bits of a translator in the host's own network (RFC 8215), which chooses the rest of the prefix. */
const LOCAL_TRANSLATOR = '64:ff9b:1';

/** The IPv4 address behind prefixes of 48, 56 and 64 bits (RFC 6052 section 2.2). The rest is zero. */
const BYTES_IN_THE_MIDDLE = [
  [6, 7, 9, 10],
  [7, 9, 10, 11],
  [9, 10, 11, 12],
] as const;
const LAST_BYTES = [12, 13, 14, 15] as const;

/** As some proxies write it: `203.0.113.7:4711`, `[2001:db8::1]:80`. */
const WITH_PORT = /^(?:\[(?<ipv6>[^\]]+)\]|(?<ipv4>[\d.]+))(?::\d+)?$/;

const PREFIX_LENGTH = '/64';

/**
 * Returns the part of an address that belongs to one caller: a whole IPv4 address, even inside an IPv6 address, or the
 * first 64 bits of an IPv6 address, because a machine chooses the others itself (RFC 4291 section 2.5.1).
 */
export function sourcePrefix(text: string): string | undefined {
  const address = parseAddress(text);
  if (!(address instanceof ipaddr.IPv6)) return address?.toString();
  return `${firstParts(address, 4)}::${PREFIX_LENGTH}`;
}

/** Returns an address of what `sourcePrefix` returned, and any other text unchanged. */
export function addressOfPrefix(text: string): string {
  return text.endsWith(`::${PREFIX_LENGTH}`) ? text.slice(0, -PREFIX_LENGTH.length) : text;
}

export function isProxyAddress(text: string): boolean {
  return PROXY_RANGES.includes(parseAddress(text)?.range() ?? '');
}

/** @internal Takes port and brackets. An IPv4 address inside an IPv6 address becomes IPv4. */
export function parseAddress(written: string): Address | undefined {
  const { ipv4, ipv6 } = WITH_PORT.exec(written)?.groups ?? {};
  const text = ipv6 ?? ipv4 ?? written;
  const version = isIP(text);
  if (version === 4) return ipaddr.IPv4.parse(text);
  if (version !== 6) return undefined;
  // ipaddr.js refuses zones such as `br-12ab`, which isIP accepts.
  const address = ipaddr.IPv6.parse(text.replace(/%.*/s, ''));
  const bytes = address.toByteArray();
  const isLocal = isLocallyTranslated(address);
  if (!isLocal && !IPV4_PREFIXES.has(firstParts(address, 6))) return address;
  const inTheMiddle = isLocal ? BYTES_IN_THE_MIDDLE.find(([, , , last]) => isZeroAfter(bytes, last)) : undefined;
  return new ipaddr.IPv4((inTheMiddle ?? LAST_BYTES).map((position) => bytes[position] ?? 0));
}

/** @internal */
export function isLocallyTranslated(address: ipaddr.IPv6): boolean {
  return firstParts(address, 3) === LOCAL_TRANSLATOR;
}

/** The ninth byte is reserved (RFC 6052). */
function isZeroAfter(bytes: readonly number[], position: number): boolean {
  return bytes[8] === 0 && bytes.slice(position + 1).every((byte) => byte === 0);
}

function firstParts({ parts }: ipaddr.IPv6, count: number): string {
  const first = parts.slice(0, count).map((part) => part.toString(16));
  return first.join(':');
}
