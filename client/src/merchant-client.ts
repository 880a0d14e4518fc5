import { type MerchantClientOptions, mistake, parseOptions } from './client-options.js';
import { isGuardRefusal } from './guard-refusal.js';
import type { LoginSuccess } from './login.js';
import { errorWithout } from './merchant-api-error.js';
import { readText } from './read-text.js';
import { type Read, type Reply, request } from './request.js';
import { createSession } from './session.js';
import type { CachedToken } from './token-cache.js';
import { unlessAborted } from './waiting.js';

/**
 * Limits the body of a 401 that `fetch` reads, in bytes. That of the guard has less than 1 KiB. A clone in node-fetch
 * stops at 16 KiB, because the caller has read nothing yet.
 */
const PEEK_BYTES = 8_192;

/** A client of one merchant account. Its functions need no `this`, so each of them can be handed on. */
export interface MerchantClient {
  /**
   * Sends a request with the token, and logs in first when there is none. Like the platform's `fetch`, it resolves to
   * the answer, whatever its status. After a 401 of the service's guard it logs in and repeats the request once
   * (docs/interface.md 5.7). It does not repeat after any other answer, nor after a redirect, because the request itself
   * may have run. The answer to the repeated request is final, even if it is a 401. Each 401 ends the token.
   *
   * The guard's 401 has the `error` `missing_token`, `invalid_token`, `expired_token` or `revoked_token`. Or its body has
   * no `error`, and its challenge is `Bearer`, without an `error` other than `invalid_token`. The body of a 401 can still
   * be read, but one of more than 8 KiB is not the guard's.
   *
   * A body that can be sent twice is sent again, for example a string, a Blob or FormData. A `Request` is cloned, so
   * its body stays in memory until it is answered. A stream can be sent only once.
   * @param input a path such as `/transactions`, which is appended to `baseUrl`. Or a URL or `Request` of the same
   *   origin
   * @param init as for the platform's `fetch`. `Authorization` is replaced. An abort of `signal` ends the wait for the
   *   login. It does not end the login, which other callers share
   * @throws TypeError for another origin, before anything is sent, and when a stream would have to be sent again
   * @throws MerchantApiError when the login failed
   * @throws TypeError that names the cause, or an error with the name `TimeoutError`, when there is no answer
   */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /**
   * Sends a request like `fetch`, and resolves to the parsed body of a 2xx. An empty body, for example of a 204, is
   * `undefined`. `body` is sent as JSON. `Answer` is not checked. Only GET and HEAD follow a redirect, because a POST
   * could become a GET, or go to another origin.
   * @throws MerchantApiError for any other answer, including a 2xx that is not JSON. Browsers hide the status of a
   *   redirect, which is 0 there
   */
  readonly json: <Answer = unknown>(method: string, path: string, body?: unknown) => Promise<Answer>;
  /**
   * Logs in now, even after a refused login, or joins the login that is in progress. Use it to read the answer. `fetch`
   * does not need it. After a 429 or a 503 it waits once, when `Retry-After` is at most 30 seconds.
   * @throws MerchantApiError when the login failed
   */
  readonly login: () => Promise<LoginSuccess>;
  /**
   * Forgets the token and a refused login, so that the next call logs in. Use it, for example, when the token has leaked,
   * or when the operator has enabled the account again.
   */
  readonly invalidate: () => void;
  /**
   * Resolves to the merchant's reference. Send it as `refercence_cl` (docs/interface.md 5.6).
   * @throws MerchantApiError when the login failed
   */
  readonly referencl: () => Promise<string>;
}

/**
 * Makes a client that keeps its token. It logs in only when a call needs a token, and renews the token a minute before
 * its end. All concurrent callers share one login.
 *
 * After a refused login, calls that need a login get the same error without a request, so that an old password locks
 * nobody out. This lasts for a minute after `wrong_credentials`, `account_disabled` and `source_not_allowed`. After a
 * 429 or a 503 it lasts until `Retry-After` has passed, but at most 15 minutes. `login` and `invalidate` end it.
 * @throws TypeError for a missing, wrong or unknown option
 */
export function createMerchantClient(options: MerchantClientOptions): MerchantClient {
  const config = parseOptions(options);
  const session = createSession(config);
  const { baseUrl, maxAnswerBytes } = config;
  const { origin } = new URL(baseUrl);
  const isOwn = (url: string) => URL.canParse(url) && new URL(url).origin === origin;

  /** Returns the address or the request to send. */
  function targetOf(input: string | URL | Request): string | Request {
    if (typeof input === 'string' && input.startsWith('/')) return baseUrl + input;
    const isRequest = typeof input === 'object' && 'url' in input;
    if (!isOwn(isRequest ? input.url : String(input))) {
      throw mistake(`give a path that starts with /, or a URL of ${origin}. The token is for no other origin`);
    }
    return isRequest ? input : String(input);
  }

  async function call(
    input: string | URL | Request,
    init: RequestInit,
    read: Read,
  ): Promise<Reply & { readonly sent: string }> {
    const target = targetOf(input);
    const given = typeof target === 'string' ? undefined : target;
    const signal = init.signal ?? given?.signal ?? null;
    const headers = new Headers(init.headers ?? given?.headers);
    const send = async ({ token: sent }: CachedToken, reading = read) => {
      headers.set('Authorization', `Bearer ${sent}`);
      return { ...(await request(config, given?.clone() ?? target, { ...init, headers, signal }, reading)), sent };
    };
    // A request that was redirected to another origin lost its token, so the answer says nothing about the token.
    const isOfService = ({ url }: Response) => url === '' || isOwn(url);

    const token = await unlessAborted(signal, () => session.current());
    const reply = await send(token, (received, stop) => {
      if (isOfService(received)) session.answered(token, received);
      return read(received, stop);
    });
    const { answer, text } = reply;
    if (!isOfService(answer) || !isGuardRefusal(answer, text)) return reply;
    if (isStream(init.body)) {
      throw mistake(
        'the token was refused, and a stream cannot be sent again. Call again with a new stream, or send a string or a Blob',
      );
    }
    // The body of node-fetch is a stream of Node.js, which has no cancel.
    if (!answer.bodyUsed) await (answer.body as Partial<ReadableStream> | null)?.cancel?.();
    return send(await unlessAborted(signal, () => session.current()));
  }

  return {
    fetch: async (input, init = {}) => (await call(input, { ...init }, peek)).answer,
    async json<Answer>(method: string, path: string, body?: unknown) {
      const redirect = ['GET', 'HEAD'].includes(method.toUpperCase()) ? 'follow' : 'manual';
      const content = { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
      const init: RequestInit = { method, redirect, ...(body === undefined ? {} : content) };
      const { answer, text, sent } = await call(path, init, (received, stop) =>
        readText(received, maxAnswerBytes, stop),
      );
      const isRedirect = answer.redirected || (!answer.ok && answer.status < 400);
      const fail = (description: string) => errorWithout(sent, answer, JSON.stringify({ description }));
      if (redirect === 'manual' && isRedirect) throw fail(adviceOnRedirect(answer));
      if (text === undefined) {
        const limit = `The answer has more than ${maxAnswerBytes} bytes`;
        throw fail(`${limit}. Check baseUrl, ask for less, or raise maxAnswerBytes.`);
      }
      if (!answer.ok) throw errorWithout(sent, answer, text.replaceAll(sent, '***'));
      try {
        return (text === '' ? undefined : JSON.parse(text)) as Answer;
      } catch {
        throw fail('The answer is not JSON.');
      }
    },
    login: () => session.logIn(),
    invalidate: () => session.forget(),
    referencl: async () => (await session.current()).referencl,
  };
}

/** Reads the body of a 401, and leaves it to the caller too. */
function peek(answer: Response): Promise<string | undefined> | undefined {
  return answer.status === 401 && !answer.bodyUsed ? readText(answer.clone(), PEEK_BYTES) : undefined;
}

/**
 * Describes a redirect of a payment, without the new address and the text, which can contain secrets. The status is 0
 * where the platform hides it, and that of the last answer where an option `fetch` followed the redirect.
 */
function adviceOnRedirect({ redirected, status }: Response): string {
  const shown = (!redirected && status) || '3xx';
  return `The service answered ${shown}, a redirect. baseUrl or the path is wrong. The request may have run or not.`;
}

/** Returns true for a ReadableStream, and for an async iterable such as a stream of Node.js. */
function isStream(body: unknown): boolean {
  return typeof body === 'object' && body !== null && ('getReader' in body || Symbol.asyncIterator in body);
}
