import { MAX_ANSWER_BYTES, readText } from './read-text.js';

/** The form of a date that services must send (RFC 9110 section 5.6.7). `Date.parse` reads "-1" and "2, 3" too. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * An answer of the service that is not a success. It contains only that answer. The client removes the token from it, and
 * keeps the body of a refused login only in the layout of the service's own errors, because any other text can repeat the
 * password in escapes. `from` removes nothing.
 */
export class MerchantApiError extends Error {
  override readonly name = 'MerchantApiError';
  /** The HTTP status. */
  readonly status: number;
  /** The body's `error`: a code such as `wrong_credentials`. `undefined` when the body has none. */
  readonly error: string | undefined;
  /** The body's `description` (docs/interface.md 4), else its `message`, else a sentence with the status. */
  readonly description: string;
  /** The seconds of `Retry-After` (RFC 9110 section 10.2.3) from the time of the answer, even when it was a date. */
  readonly retryAfterSeconds: number | undefined;
  /**
   * The header `X-Request-Id`: the operator finds the request by it. `undefined` when the answer has none of 1 to 200
   * letters, digits and `_.:-`.
   */
  readonly requestId: string | undefined;
  /** The parsed JSON, else the text. */
  readonly body: unknown;

  /** @param text the body of `answer` */
  constructor({ status, headers }: Pick<Response, 'status' | 'headers'>, text: string) {
    const body = parseBody(text);
    const members = Object(body) as Readonly<Record<string, unknown>>;
    const description =
      textOf(members['description']) ?? textOf(members['message']) ?? `The service answered ${status}.`;
    super(description);
    this.status = status;
    this.error = textOf(members['error']);
    this.description = description;
    this.retryAfterSeconds = parseRetryAfter(headers);
    this.requestId = /^[\w.:-]{1,200}$/.exec(headers.get('X-Request-Id') ?? '')?.[0];
    this.body = body;
  }

  /** Makes the error of an answer, for example of one that `fetch` returned. It leaves out a body of more than 10 MiB. */
  static async from(answer: Response): Promise<MerchantApiError> {
    return new MerchantApiError(answer, (await readText(answer, MAX_ANSWER_BYTES)) ?? '');
  }
}

/**
 * Makes the error of an answer to a request with a secret. It leaves out a request ID that repeats the secret, because
 * errors are logged.
 */
export function errorWithout(secret: string, { status, headers }: Response, text: string): MerchantApiError {
  const shown = new Headers(headers);
  if (shown.get('X-Request-Id')?.includes(secret)) shown.delete('X-Request-Id');
  return new MerchantApiError({ status, headers: shown }, text);
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function textOf(member: unknown): string | undefined {
  return typeof member === 'string' ? member : undefined;
}

/**
 * Returns the seconds of `Retry-After`. It compares a date with the `Date` of the same answer, so that the local clock
 * does not matter.
 */
function parseRetryAfter(headers: Headers): number | undefined {
  // Node.js keeps a space at the end.
  const value = headers.get('Retry-After')?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value);
  if (!HTTP_DATE.test(value)) return undefined;
  const seconds = (Date.parse(value) - Date.parse(headers.get('Date') ?? '')) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
