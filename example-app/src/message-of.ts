/** Returns the message of an error, or its code. An AggregateError of refused connections has only a code. */
export function messageOf(error: unknown): string {
  const { message, code } = error as { readonly message?: string; readonly code?: string };
  return message === undefined || message === '' ? String(code) : message;
}
