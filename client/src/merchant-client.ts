import { type MerchantClientOptions, mistake, parseOptions } from './client-options.js';
import { isGuardRefusal } from './guard-refusal.js';
import type { LoginSuccess } from './login.js';
import { errorWithout, refuseRedirect } from './merchant-api-error.js';
import { readText } from './read-text.js';
import { request } from './request.js';
import { createSession } from './session.js';
import { unlessAborted } from './waiting.js';

/** A client of one account. Its functions need no `this`. */
export interface MerchantClient {
  /**
   * Sends a request with the token, and resolves to the answer, whatever its status. After a 401 of the service's guard
   * it logs in and repeats the request once (docs/interface.md 5.7). After any other answer or a redirect, the request
   * may have run: it is not repeated. Any other 401 only ends the token.
   *
   * The guard's 401 has a challenge `Bearer` whose `error`, if any, is `invalid_token` (RFC 6750), and at most 8 KiB of
   * JSON with `success: false` and the `error` of a token that is missing, not valid, expired or revoked
   * (docs/for-merchants.md). That of a HEAD has no body, and that of a GET may lack the challenge. A stream can be sent
   * only once. A `Request` is cloned: its body stays in memory until the answer.
   * @param input a path such as `/transactions` below `baseUrl`, or a URL or `Request` of the same origin
   * @param init as for the platform's `fetch`. `Authorization` is replaced. `signal` ends the wait for a shared login
   *   too
   * @throws MerchantApiError when the login failed; a `TimeoutError`, or a TypeError that names the cause, without an
   *   answer; TypeError for another origin, before anything is sent, and for a stream that would have to be sent again
   */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /**
   * Sends a request like `fetch`, with `body` as JSON. Resolves to the parsed body of a 2xx, `undefined` for an empty
   * one. `Answer` is not checked. Only GET and HEAD follow a redirect: a POST could become a GET, or go to another
   * origin.
   * @throws MerchantApiError for any other answer, and for a 2xx that is not JSON. A redirect has the status 0 in
   *   browsers
   */
  readonly json: <Answer = unknown>(method: string, path: string, body?: unknown) => Promise<Answer>;
  /**
   * Logs in now, even after a refusal, or joins the login in progress. After a 429 or 503 it waits once, if
   * `Retry-After` is at most 30 seconds. Rejects with a MerchantApiError when the login failed.
   */
  readonly login: () => Promise<LoginSuccess>;
  /** Forgets the token, for example a leaked one, and a refused login: the next call logs in. */
  readonly invalidate: () => void;
  /** Resolves to the merchant's reference, for `refercence_cl` (docs/interface.md 5.6), or rejects as `login`. */
  readonly referencl: () => Promise<string>;
}

/**
 * Makes a client that keeps its token. Concurrent callers share one login, and the token is renewed a minute before its
 * end. After a refused login, calls that need one get the same error without a request: an old password must lock
 * nobody out. This lasts a minute after a 401 or a 403. After a 429 or a 503, it lasts until `Retry-After` has passed,
 * at most 15 minutes. `login` and `invalidate` end it.
 * @throws TypeError for a missing, wrong or unknown option
 */
export function createMerchantClient(options: MerchantClientOptions): MerchantClient {
  const config = parseOptions(options);
  const session = createSession(config);
  const { baseUrl, maxAnswerBytes } = config;
  const { origin } = new URL(baseUrl);
  const isOwn = (url: string) => URL.canParse(url) && new URL(url).origin === origin;

  /** Repeats the request if the guard refused the token. */
  async function call<Result>(
    input: string | URL | Request,
    init: RequestInit,
    read: (answer: Response, token: string) => Promise<Result>,
  ): Promise<Result> {
    const given = typeof input === 'object' && 'url' in input ? input : undefined;
    const address = given?.url ?? (input as string | URL).toString();
    const url = address.startsWith('/') ? baseUrl + address : address;
    const rule = `give a path that starts with /, or a URL of ${origin}`;
    if (!isOwn(url)) throw mistake(`${rule}. The token is for no other origin`);
    const signal = init.signal ?? given?.signal ?? null;
    const headers = new Headers(init.headers ?? given?.headers);
    for (let isRepeated = false; ; isRepeated = true) {
      const entry = await unlessAborted(signal, () => session.current());
      headers.set('Authorization', `Bearer ${entry.token}`);
      const done = await request(config, given?.clone() ?? url, { ...init, headers, signal }, async (answer) => {
        // A redirect to another origin loses the token, so the answer says nothing about it.
        if (!isRepeated && isOwn(answer.url || baseUrl)) {
          session.answered(entry, answer);
          if (await isGuardRefusal(answer, init.method ?? given?.method)) return undefined;
        }
        return { result: await read(answer, entry.token) };
      });
      if (done) return done.result;
      const advice = 'Call again with a new stream, or send a string or a Blob';
      if (isStream(init.body)) throw mistake(`the token was refused, and a stream cannot be sent again. ${advice}`);
    }
  }

  return {
    // Callers may change `init` during the login.
    fetch: (input, init = {}) => call(input, { ...init }, (answer) => Promise.resolve(answer)),
    json<Answer>(method: string, path: string, body?: unknown) {
      const redirect = /^(?:get|head)$/i.test(method) ? 'follow' : 'manual';
      const headers: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
      return call(path, { method, redirect, headers, body: JSON.stringify(body) }, async (answer, token) => {
        if (redirect === 'manual') refuseRedirect(token, answer);
        const fail = (description: string) => errorWithout(token, answer, JSON.stringify({ description }));
        const text = await readText(answer, maxAnswerBytes);
        const limit = `The answer has more than ${maxAnswerBytes} bytes.`;
        if (text === undefined) throw fail(`${limit} Check baseUrl, ask for less, or raise maxAnswerBytes.`);
        if (!answer.ok) throw errorWithout(token, answer, text.replaceAll(token, '***'));
        try {
          return (text === '' ? undefined : JSON.parse(text)) as Answer;
        } catch {
          throw fail('The answer is not JSON.');
        }
      });
    },
    login: session.logIn,
    invalidate: session.forget,
    referencl: async () => (await session.current()).referencl,
  };
}

/** Streams of Node.js are async iterables. */
const isStream = (body: unknown) => ['getReader', Symbol.asyncIterator].some((member) => member in Object(body));
