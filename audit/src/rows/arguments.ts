import { jsonOf } from './answers.js';
import { type Callers, createClient } from './client.js';
import type { Side } from './side.js';

export const mistake = (text: string): TypeError => new TypeError(`auditRows: ${text}.`);

export function checkArguments(callers: Callers, options: { readonly limit?: number }): void {
  let sent: string[] = [];
  try {
    sent = callers.map(({ headers }) => [...new Headers(headers)].join('\n'));
  } catch {
    // Its message has the value of a header, which can be a secret.
  }
  if (sent.length !== 2 || sent.includes(''))
    throw mistake('give two callers, each { name, headers }, with rows that the other may not see');
  if (sent[0] === sent[1] || callers[0].name === callers[1].name)
    throw mistake('both callers have the same name or headers. Give two callers with rows of their own');
  const unknown = Object.keys(options).find((name) => name !== 'limit');
  if (unknown !== undefined) throw mistake(`unknown option "${unknown}". Known options: limit`);
  if (!((options.limit ?? 1) >= 1)) throw mistake('limit must be a positive integer');
}

/** @throws TypeError for a caller whom the app treats as a stranger */
export function checkAccepted({ one: { name }, lists }: Side): void {
  const refused = lists.find(({ mine }) => [301, 302, 303, 307, 401, 403, 407].includes(mine.status));
  if (!refused || lists.some(({ mine, open }) => mine.isOk && !open.isOk)) return;
  const answer = `GET ${refused.path}: ${refused.mine.status}`;
  throw mistake(`the app refuses ${name} everywhere (${answer}). Give headers of a caller that it accepts`);
}

/** Reads the GET routes from the OpenAPI document of a running host. */
export async function pathsAt(url: string, callers: Callers): Promise<string[]> {
  const address = `${url.replace(/\/$/, '')}/openapi.json`;
  const { status, text } = await createClient('', callers).get(address, callers[0]);
  if (status === 0)
    throw mistake(
      `${url} does not answer. Give the address of a running host, such as http://localhost:3000, or the Express app`,
    );
  const { paths, servers } = Object(jsonOf(text)) as { paths?: Record<string, object>; servers?: { url?: string }[] };
  if (typeof paths !== 'object')
    throw mistake(`${address} is not an OpenAPI document (${status}), which names the routes. Give the Express app`);
  const prefix = new URL(servers?.[0]?.url ?? '.', address).pathname.replace(/\/$/, '');
  const reading = Object.keys(paths).filter((route) => 'get' in Object(paths[route]));
  return reading.map((route) => prefix + route.replace(/\{(\w+)\}/g, ':$1'));
}
