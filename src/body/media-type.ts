import type { IncomingHttpHeaders } from 'node:http';
import { parse } from 'content-type';

/** The format of a body (RFC 9110 section 8.3). */
export interface MediaType {
  /** In lower case, without parameters; empty when the request names none. */
  readonly name: string;
  /** True for `application/json` and for formats built on it (RFC 6839 section 3.1). */
  readonly isJson: boolean;
  /** In lower case; `utf-8` for each label of UTF-8 and of its subset ASCII, and when the request names none. */
  readonly charset: string;
}

const UTF8_LABELS: readonly string[] = ['utf8', 'us-ascii'];

export function mediaTypeOf(headers: IncomingHttpHeaders): MediaType {
  const { type, parameters } = parse(headers['content-type'] ?? '');
  const name = type.toLowerCase();
  const charset = (parameters['charset'] ?? 'utf-8').toLowerCase();
  return {
    name,
    isJson: name === 'application/json' || name.endsWith('+json'),
    charset: UTF8_LABELS.includes(charset) ? 'utf-8' : charset,
  };
}
