/** Two addresses of a host that both refuse make an AggregateError, which has a code and no message. */
export function messageOf(error: unknown): string {
  const { message, code } = error as { readonly message?: string; readonly code?: string };
  return message === undefined || message === '' ? String(code) : message;
}
