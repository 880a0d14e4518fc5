import { REFERENCE_FIELD } from '../reference-field.js';
import { type Answer, demandOf } from './answer.js';
import type { Asking, Row } from './callers.js';
import type { HostRoute } from './host-routes.js';
import type { Resource, RowValues } from './host-under-test.js';
import { fill, isPathOf, parametersIn } from './paths.js';
import { BODILESS, type Visit } from './visit.js';

const LIMIT_MS = 5_000;
/** The methods that stand for `ALL`. */
const METHODS_OF_ALL = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Returns a route for each method that it is asked with. */
export function methodsOf(route: HostRoute): readonly HostRoute[] {
  return route.method === 'ALL' ? METHODS_OF_ALL.map((method) => ({ ...route, method })) : [route];
}

/** Returns the names of a row's values that a request to a route has, and none for a row that it cannot have. */
export function namesUsed({ path, request }: HostRoute, { read }: Resource, row: Row): readonly string[] {
  const used = new Set(parametersIn(read).slice(0, parametersIn(path).length));
  const watched = {};
  for (const [name, value] of Object.entries(row)) {
    Object.defineProperty(watched, name, { enumerable: true, get: () => (used.add(name), value) });
  }
  try {
    for (const part of [request.body, request.query]) partOf<object>(part, watched);
  } catch {
    // The row is of another resource.
    return [];
  }
  return [...used];
}

/** Sends the request of a route, with what the host says that the route needs, and with the values of a row. */
export async function ask(
  visit: Visit,
  route: HostRoute,
  caller: Asking,
  row: Row = {},
  resource?: Resource,
  change: object = {},
): Promise<Answer> {
  const { token, referencl, sent } = caller;
  const { body, query, headers = {} } = route.request;
  const values = { ...row, [REFERENCE_FIELD]: referencl };
  const names = resource ? parametersIn(resource.read) : parametersIn(route.path).map((name) => nameLike(name, row));
  const isMissing = route.isDemanded && !route.path.includes(`:${REFERENCE_FIELD}`);
  const reference = isMissing ? { [REFERENCE_FIELD]: referencl } : {};
  const hasBody = !BODILESS.test(route.method);
  const sentBody = sent.findLast(({ method, path }) => method === route.method && isPathOf(path, route.path))?.body;
  const given = partOf(body, values) ?? (hasBody ? (sentBody ?? visit.host.transactions.body(referencl)) : undefined);
  const search = { ...(!hasBody && { ...reference, ...change }), ...partOf(query, values) } as Readonly<
    Record<string, string>
  >;
  const path = fill(
    route.path,
    names.map((name) => String(row[name] ?? '')),
    referencl,
  );
  const answer = await visit.sendAs(
    token,
    route.method,
    `${path}?${String(new URLSearchParams(search))}`.replace(/\?$/, ''),
    {
      headers,
      limitMs: LIMIT_MS,
      ...(given && { body: Array.isArray(given) ? given : { ...(hasBody && reference), ...given, ...change } }),
    },
  );
  // Two answers of a limiter are alike, and tell nothing.
  demandOf(answer, answer.status !== 429, `${answer.request} got 429.`, '');
  return answer;
}

/** Returns the name of a value that a parameter can have: the same one, or else the last one of the row. */
function nameLike(parameter: string, row: Row): string {
  return parameter in row ? parameter : (Object.keys(row).at(-1) ?? parameter);
}

function partOf<Part extends object>(part: Part | ((row: RowValues) => Part) | undefined, row: RowValues) {
  return typeof part === 'function' ? Reflect.apply<undefined, [RowValues], Part>(part, undefined, [row]) : part;
}
