import { Violation } from 'express-merchant-auth/testing';
import { type Answer, describeBody, type Redact } from './answer.js';
import { reasonOf } from './demand.js';

export interface Sending {
  readonly headers?: Readonly<Record<string, string>>;
  /** A plain object or array is sent as JSON, all else as it is. */
  readonly body?: object | string;
  /** The limit of the whole answer. Default 30 s. */
  readonly limitMs?: number;
}

const isJson = (body: unknown) => /^\[object (?:Object|Array)\]$/.test(Object.prototype.toString.call(body));

/** Adds to a JSON object only. */
export function withMembers<Body extends object | string>(body: Body, members: object = {}): Body | object {
  return isJson(body) && !Array.isArray(body) ? Object.assign({}, body, members) : body;
}

export async function exchange(
  url: string,
  method: string,
  path: string,
  { body, headers, limitMs = 30_000 }: Sending,
  redact: Redact,
): Promise<Answer> {
  // The query can hold a token.
  const asked = `${method} ${path.replace(/\?.*/s, '')}`;
  const late = `${asked} had not ended its answer after ${limitMs / 1000} s. Let the route answer. A stream is left out with its reason: name its route in leaveOut.`;
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new Violation(late)), limitMs);
  try {
    const response = await fetch(new URL(url).origin + path, {
      method,
      headers: { ...(isJson(body) && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: isJson(body) ? JSON.stringify(body) : (body as string) }),
      redirect: 'manual',
      signal: limit.signal,
    });
    const text = await response.text();
    const received = { status: response.status, headers: response.headers, text, json: parse(text) };
    return { ...received, request: redact(`${method} ${path}`), shownBody: describeBody(received, redact) };
  } catch (error) {
    if (error instanceof Violation) throw error;
    const { cause = error } = error as Error;
    throw new Violation(`${asked} got no whole answer: ${redact(reasonOf(cause))}.`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

export function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
