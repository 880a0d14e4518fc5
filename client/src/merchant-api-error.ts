import { MAX_ANSWER_BYTES, readText } from './read-text.js';

/** The best first. `detail` and `title` are those of RFC 9457. */
const DESCRIPTIONS = ['description', 'message', 'detail', 'title', 'error'];

/**
 * An answer that is not a success, without the request. The client removes the token, and of a refused login keeps only
 * the short texts that people read, without the password. `from` removes nothing.
 */
export class MerchantApiError extends Error {
  override readonly name = 'MerchantApiError';
  /** The HTTP status. */
  readonly status: number;
  /** The body's `error`, if any: a code such as `wrong_credentials`. */
  readonly error: string | undefined;
  /** The first of the body's `description` (docs/interface.md 4), `message`, `detail`, `title` and `error`, else the status. */
  readonly description: string;
  /** `Retry-After` (RFC 9110 section 10.2.3) in seconds from the answer, even when it was a date. */
  readonly retryAfterSeconds: number | undefined;
  /** `X-Request-Id`, by which the operator finds the request, if it is 1 to 200 letters, digits and `_.:-`. */
  readonly requestId: string | undefined;
  /** The parsed JSON, else the text. */
  readonly body: unknown;

  constructor({ status, headers }: Pick<Response, 'status' | 'headers'>, text: string) {
    const body = parseBody(text);
    const description =
      DESCRIPTIONS.map((name) => textOf(body, name)).find(Boolean) ?? `The service answered ${status}.`;
    super(description);
    this.status = status;
    this.error = textOf(body, 'error');
    this.description = description;
    this.retryAfterSeconds = parseRetryAfter(headers);
    this.requestId = /^[\w.:-]{1,200}$/.exec(headers.get('X-Request-Id') ?? '')?.[0];
    this.body = body;
  }

  /** Makes the error of an answer, for example from `fetch`. Leaves out a body of more than 10 MiB. */
  static async from(answer: Response): Promise<MerchantApiError> {
    return new MerchantApiError(answer, (await readText(answer, MAX_ANSWER_BYTES)) ?? '');
  }
}

/** Leaves out a request ID that repeats the secret. */
export function errorWithout(secret: string, answer: Response, text: string): MerchantApiError {
  const error = new MerchantApiError(answer, text);
  return error.requestId?.includes(secret) ? Object.assign(error, { requestId: undefined }) : error;
}

/** Throws for a redirect, even one that `fetch` followed. */
export function refuseRedirect(secret: string, answer: Response): void {
  if (!answer.redirected && (answer.ok || answer.status >= 400)) return;
  // The new address can have secrets. The status is 0 where the platform hides it.
  const found = `The service answered ${(!answer.redirected && answer.status) || '3xx'}, a redirect.`;
  const description = `${found} baseUrl or the path is wrong. The request may have run or not.`;
  throw errorWithout(secret, answer, JSON.stringify({ description }));
}

export function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function textOf(body: unknown, name: string): string | undefined {
  const member = (Object(body) as Readonly<Record<string, unknown>>)[name];
  return typeof member === 'string' ? member : undefined;
}

/** A date counts from the `Date` of the same answer. */
function parseRetryAfter(headers: Headers): number | undefined {
  // Node.js keeps a space at the end. `Date.parse` reads "-1" and "2, 3" too.
  const value = headers.get('Retry-After')?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value);
  if (!/^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(value)) return undefined;
  const seconds = (Date.parse(value) - Date.parse(headers.get('Date') ?? '')) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
