import type { ClientConfig } from './client-options.js';
import { startTimeout } from './waiting.js';

/** `timeoutMs` includes `read`. When `read` rejects, the download ends. */
export async function request<Result>(
  { baseUrl, fetch, timeoutMs }: ClientConfig,
  input: string | Request,
  init: RequestInit,
  read: (answer: Response) => Promise<Result>,
): Promise<Result> {
  const bound = new AbortController();
  const expire = () => bound.abort(new DOMException(failure(baseUrl, ` within ${timeoutMs} ms`), 'TimeoutError'));
  const stop = startTimeout(timeoutMs, expire);
  const signal = AbortSignal.any([bound.signal, ...(init.signal ? [init.signal] : [])]);
  try {
    return await read(await fetch(input, { ...init, ...uncached(input, init), signal }));
  } catch (error) {
    init.signal?.throwIfAborted();
    bound.signal.throwIfAborted();
    bound.abort(); // Canceling the body does not end the download of node-fetch 2.
    throw explained(error, baseUrl);
  } finally {
    stop();
  }
}

/** Next.js 13 and 14 keep answers, even of a login. Workers with a date before 2024-11-11 refuse the member. */
function uncached(...given: readonly unknown[]): object {
  const isChosen = given.some((each) => ((Object(each) as Partial<Request>).cache ?? 'default') !== 'default');
  return isChosen || !('cache' in Request.prototype) ? {} : { cache: 'no-store' };
}

/** Node.js hides the cause behind "fetch failed". The `data` of its parser has secrets. */
function explained(error: unknown, baseUrl: string): unknown {
  const { cause, data } = Object(error) as Readonly<Record<string, unknown>>;
  if (cause === undefined && data === undefined) return error;
  const { message, code } = Object(cause ?? error) as { readonly message?: string; readonly code?: string };
  // Several failed addresses give a code and an empty message.
  const reason = (message === '' ? code : message?.trim()) ?? (error as Error).message;
  return new TypeError(failure(baseUrl, `: ${reason}`), { cause: Object.assign(new Error(reason), { code }) });
}

const failure = (baseUrl: string, text: string) =>
  `No answer from ${new URL(baseUrl).origin}${text}. The request may have run or not.`;
