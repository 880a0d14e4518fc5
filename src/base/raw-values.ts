import type { IncomingMessage } from 'node:http';

/**
 * Returns each value as it arrived, even when the header is repeated or a middleware has changed `headers`. Serverless
 * adapters have no `rawHeaders`.
 * @param name in lower case
 */
export function rawValuesOf(req: IncomingMessage, name: string): readonly string[] {
  const { rawHeaders = [] } = req as Partial<IncomingMessage>;
  return rawHeaders.filter((_value, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}
