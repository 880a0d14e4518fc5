import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { type Address, isLocallyTranslated, parseAddress } from './address.js';

interface Range {
  readonly network: Address;
  /** In bits. */
  readonly prefix: number;
}

/** A range has a prefix length (RFC 4632 section 3.1, RFC 4291 section 2.3). */
const ENTRY = /^(?<address>[\da-f:.]+)(?:\/(?<length>0|[1-9]\d{0,2}))?$/i;
/** The bits of an IPv6 address in front of the IPv4 address that it carries. */
const BITS_BEFORE_IPV4 = 96;

/**
 * By their text: a store returns a new array each time, and parsing twenty entries costs more than the rest of the
 * guard. The size is in characters.
 */
const parsed = new LRUCache<string, readonly Range[]>({
  maxSize: 1_000_000,
  sizeCalculation: (_ranges, text) => text.length,
});

export function isSourceList(value: unknown): value is readonly string[] {
  return parseSources(value) !== undefined;
}

/** An IPv4 address inside an IPv6 address counts as IPv4 on both sides. */
export function isInSources(sources: readonly string[], written: string): boolean {
  const address = parseAddress(written);
  const holds = ({ network, prefix }: Range) =>
    // `match` throws when one is IPv4 and the other IPv6.
    network.kind() === address?.kind() && address.match(network, prefix);
  return parseSources(sources)?.some(holds) ?? false;
}

function parseSources(value: unknown): readonly Range[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const entries = [...(value as unknown[])];
  if (!entries.every((entry) => typeof entry === 'string')) return undefined;
  const text = JSON.stringify(entries);
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const ranges = entries.map(parseEntry);
  if (!ranges.every((range) => range !== undefined)) return undefined;
  parsed.set(text, ranges);
  return ranges;
}

function parseEntry(entry: string): Range | undefined {
  const { address: written = '', length } = ENTRY.exec(entry)?.groups ?? {};
  // `parseAddress` takes a port.
  if (isIP(written) === 0) return undefined;
  const isLong = written.includes(':');
  const bits = isLong ? 128 : 32;
  const prefix = Number(length ?? bits);
  const network = parseAddress(written);
  if (network === undefined || prefix > bits) return undefined;
  if (!isLong || network instanceof ipaddr.IPv6) return { network, prefix };
  // Keeps IPv6 when the prefix ends before the embedded IPv4 address, or can end after it.
  const written6 = ipaddr.IPv6.parse(written);
  if (prefix < BITS_BEFORE_IPV4 || (prefix < bits && isLocallyTranslated(written6)))
    return { network: written6, prefix };
  return { network, prefix: prefix - BITS_BEFORE_IPV4 };
}
