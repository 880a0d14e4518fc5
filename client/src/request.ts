import type { ClientConfig } from './client-options.js';

/** Reads an answer. `stop` ends its download. */
export type Read = (answer: Response, stop: () => void) => Promise<string | undefined> | undefined;

/** An answer, with the text of its body, or `undefined` when `read` left the body out. */
export interface Reply {
  readonly answer: Response;
  readonly text: string | undefined;
}

/**
 * Sends a request and reads its answer, all within `timeoutMs`.
 * @throws the reason of the caller's signal, a `TimeoutError`, or an error that names the cause
 */
export async function request(
  { baseUrl, fetch, timeoutMs }: ClientConfig,
  input: string | Request,
  init: RequestInit,
  read: Read,
): Promise<Reply> {
  const bound = new AbortController();
  const expire = () => bound.abort(new DOMException(failure(baseUrl, ` within ${timeoutMs} ms`), 'TimeoutError'));
  const timer = setTimeout(expire, timeoutMs);
  const signals = init.signal ? [init.signal, bound.signal] : [bound.signal];
  try {
    const answer = await fetch(input, { ...init, signal: AbortSignal.any(signals) });
    return { answer, text: await read(answer, () => bound.abort()) };
  } catch (error) {
    init.signal?.throwIfAborted();
    bound.signal.throwIfAborted();
    throw explained(error, baseUrl);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Returns an error that names the cause, which the message of Node.js hides: "fetch failed". Its `cause` has only a
 * message and a code, because the parser of Node.js adds the answer with its secrets. An error without a cause and
 * without such data is returned unchanged, because it says itself what is wrong, for example a GET with a body.
 */
function explained(error: unknown, baseUrl: string): unknown {
  const { cause, data } = Object(error) as Readonly<Record<string, unknown>>;
  if (cause === undefined && data === undefined) return error;
  const { message, code } = Object(cause ?? error) as { readonly message?: string; readonly code?: string };
  // The error of several failed addresses has a code, and an empty message.
  const reason = (message === '' ? code : message?.trim()) ?? (error as Error).message;
  return new TypeError(failure(baseUrl, `: ${reason}`), { cause: Object.assign(new Error(reason), { code }) });
}

function failure(baseUrl: string, text: string): string {
  return `No answer from ${new URL(baseUrl).origin}${text}. The request may have run or not.`;
}
