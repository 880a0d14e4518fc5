/** Returns the header and the claims of a token, without members where it has none. */
export function partsOf(token: string) {
  const read = (part = ''): Readonly<Record<string, unknown>> => {
    try {
      return Object(JSON.parse(Buffer.from(part, 'base64url').toString())) as Record<string, unknown>;
    } catch {
      return {};
    }
  };
  const [header, claims] = token.split('.');
  return [read(header), read(claims)] as const;
}
