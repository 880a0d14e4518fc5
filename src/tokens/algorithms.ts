export type AlgorithmEntry =
  | { readonly kind: 'secret'; readonly minBytes: number }
  | { readonly kind: 'rsa'; readonly minBits: number }
  | { readonly kind: 'ec'; readonly namedCurve: string };

const RSA = { kind: 'rsa', minBits: 2048 } as const;

/** Limits of RFC 7518 sections 3.2 to 3.5. Never `none`: everyone can make such tokens. */
export const algorithms = {
  HS256: { kind: 'secret', minBytes: 32 },
  HS384: { kind: 'secret', minBytes: 48 },
  HS512: { kind: 'secret', minBytes: 64 },
  RS256: RSA,
  RS384: RSA,
  RS512: RSA,
  PS256: RSA,
  PS384: RSA,
  PS512: RSA,
  ES256: { kind: 'ec', namedCurve: 'prime256v1' },
  ES384: { kind: 'ec', namedCurve: 'secp384r1' },
  ES512: { kind: 'ec', namedCurve: 'secp521r1' },
} as const satisfies Record<string, AlgorithmEntry>;

/** The `alg` of a key's tokens (RFC 7518 section 3.1). */
export type Algorithm = keyof typeof algorithms;
