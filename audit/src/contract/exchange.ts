import { once } from 'node:events';
import http, { type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';
import { buffer } from 'node:stream/consumers';
import { Violation } from 'express-merchant-auth/testing';
import { reasonOf } from './demand.js';

export interface Received {
  /** The method and the path of the request. */
  readonly request: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body; `undefined` when it is not JSON. */
  readonly json: unknown;
}

export interface Sending {
  /** A list of values sends the header as often. */
  readonly headers?: Readonly<OutgoingHttpHeaders>;
  /** An object is sent as JSON, and a text or a `Buffer` as it is. */
  readonly body?: object | string;
  /** The time after which the whole answer has to be there. Default 30 s. */
  readonly limitMs?: number;
}

/**
 * Adds members to a JSON object. An array, a text or a `Buffer` is sent as it is.
 * @throws TypeError for any other body, which JSON cannot hold
 */
export function withMembers<Body extends object | string>(body: Body, members: object = {}): Body | object {
  if (typeof body === 'string' || Array.isArray(body) || body instanceof Uint8Array) return body;
  const kind = Object.prototype.toString.call(body).slice(8, -1);
  if (kind === 'Object') return Object.assign({}, body, members);
  throw new TypeError(
    `authContract: a body is JSON, a text or a Buffer, and not ${kind}. Leave the route out with the reason.`,
  );
}

const LEAVE_OUT = 'Let the route answer. A stream is left out with its reason: name its route in leaveOut.';

/** Sends a request with `node:http`, because `fetch` cannot send a header twice. */
export async function exchange(baseUrl: string, method: string, path: string, sending: Sending): Promise<Received> {
  const { body, headers, limitMs = 30_000 } = sending;
  const isJson = typeof body === 'object' && !(body instanceof Uint8Array);
  const sent = isJson ? JSON.stringify(body) : body;
  const { request: open } = new URL(baseUrl).protocol === 'https:' ? https : http;
  const request = open(baseUrl, {
    method,
    path,
    // Tracers such as OpenTelemetry add headers to an object, and an array of headers would lose its own.
    headers: {
      Connection: 'close',
      ...(isJson && { 'Content-Type': 'application/json' }),
      // Node.js sets no length of the body of a DELETE.
      ...(sent !== undefined && { 'Content-Length': Buffer.byteLength(sent) }),
      ...headers,
    },
  });
  let stream: { destroy(error: Error): unknown } = request;
  // The query can hold a token.
  const asked = `${method} ${path.replace(/\?.*/s, '')}`;
  const late = `${asked} had not ended its answer after ${limitMs / 1000} s. ${LEAVE_OUT}`;
  const timer = setTimeout(() => stream.destroy(new Violation(late)), limitMs);
  // An error of the response is one of the request too, where nobody listens any longer.
  request.on('error', () => undefined);
  try {
    request.end(sent);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    stream = response;
    const text = String(await buffer(response));
    return {
      request: `${method} ${path}`,
      status: response.statusCode ?? 0,
      headers: response.headers,
      text,
      json: parse(text),
    };
  } catch (cause) {
    if (cause instanceof Violation) throw cause;
    throw new Violation(`${asked} got no whole answer: ${reasonOf(cause)}.`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** Returns `undefined` for a text that is not JSON. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
