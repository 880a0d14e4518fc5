import type { IncomingHttpHeaders } from 'node:http';
import { parse } from 'content-type';

/** What a request says of its body's format (RFC 9110 section 8.3). */
export interface MediaType {
  /** In lower case, without parameters; empty when the request names none. */
  readonly type: string;
  /** In lower case; UTF-8 when the request names none. */
  readonly charset: string;
}

/** What nearly all requests with a body send. */
const JSON_TYPE: MediaType = { type: 'application/json', charset: 'utf-8' };

export function mediaTypeOf(headers: IncomingHttpHeaders): MediaType {
  const value = headers['content-type'] ?? '';
  if (value === JSON_TYPE.type) return JSON_TYPE;
  const { type, parameters } = parse(value);
  return { type: type.toLowerCase(), charset: (parameters['charset'] ?? 'utf-8').toLowerCase() };
}

/** `application/json`, or a format built on it (RFC 6839 section 3.1). */
export function isJson({ type }: MediaType): boolean {
  return type === 'application/json' || type.endsWith('+json');
}

/** The form that `express.urlencoded()` parses. */
export function isForm({ type }: MediaType): boolean {
  return type === 'application/x-www-form-urlencoded';
}
