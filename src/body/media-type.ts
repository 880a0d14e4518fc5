import type { IncomingHttpHeaders } from 'node:http';
import { parse } from 'content-type';

const UTF8_LABELS: readonly string[] = ['utf8', 'us-ascii'];

/**
 * Reads the format of a body (RFC 9110 section 8.3), in lower case. `name` is empty when the request names none.
 * `isJson` includes formats built on JSON (RFC 6839 section 3.1). `charset` is `utf-8` for each label of UTF-8 and of
 * its subset ASCII, and by default.
 */
export function mediaTypeOf(headers: IncomingHttpHeaders) {
  const { type, parameters } = parse(headers['content-type'] ?? '');
  const name = type.toLowerCase();
  const charset = (parameters['charset'] ?? 'utf-8').toLowerCase();
  return {
    name,
    isJson: name === 'application/json' || name.endsWith('+json'),
    charset: UTF8_LABELS.includes(charset) ? 'utf-8' : charset,
  };
}
