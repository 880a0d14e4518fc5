import { REFERENCE_FIELD } from '../../ownership/references.js';
import type { Answer } from './answer.js';
import type { Asking, Row } from './callers.js';
import { entryFor, type HostRoute } from './host-routes.js';
import type { HostUnderTest, Resource, RowValues } from './host-under-test.js';
import { fill, isPathOf, parametersIn } from './paths.js';
import { BODILESS, type Visit } from './visit.js';

const LIMIT_MS = 5_000;
/** The methods that stand for `ALL`. */
const METHODS_OF_ALL = ['GET', 'PUT', 'PATCH', 'DELETE'];

/** Returns a route for each method that it is asked with. */
export function methodsOf(route: HostRoute): readonly HostRoute[] {
  return route.method === 'ALL' ? METHODS_OF_ALL.map((method) => ({ ...route, method })) : [route];
}

/** Returns the names of a row's values that a request to a route has. */
export function namesUsed(host: HostUnderTest, route: HostRoute, { read }: Resource): readonly string[] {
  const used = new Set<string>(parametersIn(read).slice(0, parametersIn(route.path).length));
  const get = (_row: object, name: string | symbol) => (typeof name === 'string' && used.add(name) ? '' : undefined);
  const { body, query } = entryFor(host.routes, route.name) ?? {};
  for (const part of [body, query]) partOf<object>(part, new Proxy<RowValues>({}, { get }));
  used.delete(REFERENCE_FIELD);
  return [...used];
}

/** Sends the request of a route, with what the host says that the route needs, and with the values of a row. */
export function ask(
  visit: Visit,
  route: HostRoute,
  caller: Asking,
  row: Row = {},
  resource?: Resource,
  change: object = {},
): Promise<Answer> {
  const { token, referencl, sent } = caller;
  const values = { ...row, [REFERENCE_FIELD]: referencl };
  const { body, query, headers = {} } = entryFor(visit.host.routes, route.name) ?? {};
  const names = resource ? parametersIn(resource.read) : parametersIn(route.path).map((name) => nameLike(name, row));
  const reference = isDemanded(route) ? { [REFERENCE_FIELD]: referencl } : {};
  const hasBody = !BODILESS.test(route.method);
  const sentBody = sent.findLast(({ method, path }) => method === route.method && isPathOf(path, route.path))?.body;
  const given = partOf(body, values) ?? (hasBody ? (sentBody ?? visit.host.transactions.body(referencl)) : undefined);
  const text = String(new URLSearchParams({ ...(!hasBody && reference), ...textsOf(partOf(query, values)) }));
  const path = fill(
    route.path,
    names.map((name) => String(row[name] ?? '')),
    referencl,
  );
  return visit.sendAs(token, route.method, text === '' ? path : `${path}?${text}`, {
    headers: Object.entries(headers),
    limitMs: LIMIT_MS,
    ...(given && { body: Array.isArray(given) ? given : { ...(hasBody && reference), ...given, ...change } }),
  });
}

function isDemanded({ isDemanded: demanded, path }: HostRoute): boolean {
  return demanded && !path.includes(`:${REFERENCE_FIELD}`);
}

/** Returns the name of a value that a parameter can have: the same one, or else the last one of the row. */
function nameLike(parameter: string, row: Row): string {
  return parameter in row ? parameter : (Object.keys(row).at(-1) ?? parameter);
}

function partOf<Part extends object>(part: Part | ((row: RowValues) => Part) | undefined, row: RowValues) {
  return typeof part === 'function' ? Reflect.apply<undefined, [RowValues], Part>(part, undefined, [row]) : part;
}

function textsOf(query: RowValues = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
}
