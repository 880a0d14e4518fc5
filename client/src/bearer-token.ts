/**
 * Returns true for the form of RFC 6750 section 2.1. `Headers` would refuse another text with an error that quotes it.
 */
export function isBearerToken(value: unknown): value is string {
  return typeof value === 'string' && /^[\w.~+/-]+=*$/.test(value);
}
