export type AlgorithmEntry =
  | { readonly kind: 'secret'; readonly minBytes: number }
  | { readonly kind: 'rsa'; readonly keyTypes: readonly string[]; readonly minBits: number }
  | { readonly kind: 'ec'; readonly namedCurve: string };

const rsa = (...keyTypes: string[]): AlgorithmEntry => ({ kind: 'rsa', keyTypes, minBits: 2048 });

/** Limits of RFC 7518 sections 3.2 to 3.5. Never `none`: everyone can make such tokens. */
export const algorithms = {
  HS256: { kind: 'secret', minBytes: 32 },
  HS384: { kind: 'secret', minBytes: 48 },
  HS512: { kind: 'secret', minBytes: 64 },
  RS256: rsa('rsa'),
  RS384: rsa('rsa'),
  RS512: rsa('rsa'),
  PS256: rsa('rsa', 'rsa-pss'),
  PS384: rsa('rsa', 'rsa-pss'),
  PS512: rsa('rsa', 'rsa-pss'),
  ES256: { kind: 'ec', namedCurve: 'prime256v1' },
  ES384: { kind: 'ec', namedCurve: 'secp384r1' },
  ES512: { kind: 'ec', namedCurve: 'secp521r1' },
} as const satisfies Record<string, AlgorithmEntry>;

/** The `alg` of a key's tokens (RFC 7518 section 3.1). */
export type Algorithm = keyof typeof algorithms;
