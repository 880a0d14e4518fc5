import { isDeepStrictEqual } from 'node:util';
import { jsonOf } from './answers.js';
import { createClient, type RowCaller } from './client.js';
import type { List, Side } from './side.js';

export type Callers = readonly [RowCaller, RowCaller];
export const mistake = (text: string): TypeError => new TypeError(`auditRows: ${text}.`);

const isText = (value: unknown) => typeof value === 'string' && value !== '';

/** @throws TypeError unless there are two different callers, without a value of their headers */
export function checkArguments(callers: Callers, options: { readonly limit?: number }): void {
  const list: readonly unknown[] = Array.isArray(callers) ? callers : [];
  const [one, other] = list.map((caller) => Object(caller) as Partial<RowCaller>);
  const areCallers =
    list.length === 2 && [one, other].every((caller) => isText(caller?.name) && isHeaders(caller?.headers));
  if (!areCallers) throw mistake('give two callers, each { name, headers }, with rows that the other may not see');
  if (one?.name === other?.name || isDeepStrictEqual([...new Headers(one?.headers)], [...new Headers(other?.headers)]))
    throw mistake('both callers have the same name or headers. Give two callers with rows of their own');
  const [unknown] = Object.keys(options).filter((name) => name !== 'limit');
  if (unknown !== undefined) throw mistake(`unknown option "${unknown}". Known options: limit`);
  const { limit = 1 } = options;
  if (!Number.isSafeInteger(limit) || limit < 1) throw mistake(`limit must be a positive integer`);
}

function isHeaders(headers: unknown): boolean {
  try {
    const values = Object.values(new Object(headers));
    return values.length > 0 && values.every(isText) && [...new Headers(headers as RowCaller['headers'])].length > 0;
  } catch {
    return false;
  }
}

/** @throws TypeError for a caller whom the app treats as a stranger */
export function checkAccepted({ one: { name }, lists }: Side): void {
  const isRefused = ({ status }: List['mine']) => [301, 302, 303, 307, 401, 403, 407].includes(status);
  const refused = lists.find(({ mine }) => isRefused(mine));
  if (!refused || lists.some(({ mine, open }) => mine.isOk && !open.isOk)) return;
  const answer = `GET ${refused.path}: ${refused.mine.status}`;
  throw mistake(`the app refuses ${name} everywhere (${answer}). Give headers of a caller that it accepts`);
}

/** Returns the GET routes in the OpenAPI document of a running host. */
export async function pathsAt(url: string, callers: Callers): Promise<string[]> {
  const base = /^https?:/.test(url) && URL.canParse(url) ? new URL(url) : undefined;
  if (!base) throw mistake('give the address of a running host, for example http://localhost:3000, or the Express app');
  const path = `${base.pathname.replace(/\/$/, '')}/openapi.json`;
  const { status, text } = await createClient(base.origin, callers).get(path, callers[0]);
  if (status === 0) throw mistake(`${base.origin} does not answer. Give the address of a running host`);
  const { paths, servers } = Object(jsonOf(text)) as { paths?: Record<string, object>; servers?: { url?: string }[] };
  if (typeof paths !== 'object')
    throw mistake(`GET ${path} is not an OpenAPI document (${status}), which names the routes. Give the Express app`);
  const prefix = new URL(servers?.[0]?.url ?? '.', base.origin + path).pathname.replace(/\/$/, '');
  const reading = Object.keys(paths).filter((route) => 'get' in Object(paths[route]));
  return reading.map((route) => prefix + route.replace(/\{(\w+)\}/g, ':$1'));
}
