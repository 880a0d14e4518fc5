import { demand } from '../messages.js';
import { type Answer, demandOf, isGood, summaryOf } from './answer.js';
import type { Asking, Row } from './callers.js';
import { type HostRoute, writeEntry } from './host-routes.js';
import type { Resource, RouteRequest, RowValues, TestMerchant } from './host-under-test.js';
import { BODILESS, type Visit } from './visit.js';

const LIMIT_MS = 5_000;
/** The methods that stand for `ALL`. */
const METHODS_OF_ALL = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The answers of `app.all` to a method that it does not serve. */
export const NOT_SERVED = [404, 405, 501];

/** What a request to a route has beside the parts that the host gives for the route. */
interface Asked {
  readonly row?: Row | undefined;
  readonly resource?: Resource | undefined;
  /** Further members of the body. */
  readonly members?: object | undefined;
  readonly query?: RowValues | undefined;
  /** The reference in the path. Default: that of the caller. */
  readonly reference?: string | undefined;
}

/** Returns a route for each method that it is asked with. */
export function methodsOf(route: HostRoute): readonly HostRoute[] {
  return route.method === 'ALL' ? METHODS_OF_ALL.map((method) => ({ ...route, method })) : [route];
}

/** Returns the names of a row's values that a request to a route has, and none for a row that it cannot have. */
export function namesUsed({ paths }: Visit, { path, request }: HostRoute, resource: Resource, row: Row) {
  const used = new Set(idsOf(paths, resource, row).slice(0, paths.parametersIn(path).length));
  const watched = {};
  for (const [name, value] of Object.entries(row)) {
    Object.defineProperty(watched, name, { enumerable: true, get: () => (used.add(name), value) });
  }
  try {
    for (const part of ['body', 'query', 'headers'] as const) partOf(request, part, watched);
  } catch {
    // The row is of another resource.
    return [];
  }
  return [...used];
}

/** Returns the names of the values in the path of a row, in their order. */
function idsOf(paths: Visit['paths'], { read }: Resource, row: Row): readonly string[] {
  const names = paths.parametersIn(read);
  return names.length > 0 ? names : Object.keys(row);
}

/** Sends the request of a route, with what the host says that the route needs, and with the values of a row. */
export async function ask(visit: Visit, route: HostRoute, caller: Asking, asked: Asked = {}): Promise<Answer> {
  const { paths, referenceName, host } = visit;
  const { token, referencl, sent } = caller;
  const { row = {}, resource, members, query, reference = referencl } = asked;
  const { method, path, request } = route;
  const values = { ...row, [referenceName]: referencl };
  const names = resource
    ? idsOf(paths, resource, row)
    : paths.parametersIn(path).map((name) => (name in row ? name : (Object.keys(row).at(-1) ?? name)));
  const isMissing = route.isDemanded && !paths.hasReference(path);
  const own = isMissing ? { [referenceName]: referencl } : {};
  const hasBody = !BODILESS.test(method);
  const ids = names.slice(0, paths.parametersIn(path).length).map((name) => String(row[name] ?? ''));
  demandOthers(route, caller, ids.at(-1));
  const sentBody = sent.findLast((one) => one.method === method && paths.isPathOf(one.path, path))?.body;
  const given = partOf(request, 'body', values);
  const usual = hasBody ? { ...own, ...(sentBody ?? host.transactions?.body(referencl)) } : undefined;
  const body = given ?? (Array.isArray(sentBody) ? sentBody : usual);
  const search = { ...(!hasBody && own), ...query, ...partOf(request, 'query', values) };
  const text = String(new URLSearchParams(search as Record<string, string>));
  const answer = await visit.sendAs(token, method, `${paths.fill(path, ids, reference)}?${text}`.replace(/\?$/, ''), {
    headers: partOf(request, 'headers', values) ?? {},
    limitMs: LIMIT_MS,
    ...(body && { body: Array.isArray(body) ? body : { ...body, ...members } }),
  });
  // Two answers of a limiter are alike, and tell nothing.
  demandOf(answer, answer.status !== 429, `${answer.request} got 429.`, '');
  return answer;
}

/** A refusal that no row causes would look like a hidden row. */
export function demandControl(answer: Answer, { method, name }: HostRoute, { referencl }: TestMerchant): void {
  const part = method === 'GET' || method === 'DELETE' ? 'query' : 'body';
  demandOf(
    answer,
    isGood(answer),
    `${answer.request} of ${referencl} for its own row got ${summaryOf(answer)}, so the test of ${name} proves nothing.`,
    `Write what the route needs: routes: { '${name}': { ${part}: { ... } } }. Or leave it out: ${writeEntry('leaveOut', name)}.`,
  );
}

/** Refuses to delete the account of the test, because every case after it would fail. */
function demandOthers({ method, path, name }: HostRoute, { id, email, referencl }: Asking, last: string | undefined) {
  const isAccount = method === 'DELETE' && /[:*][^/]*$/.test(path) && [id, email, referencl].includes(last);
  demand(
    !isAccount,
    `${name} would delete the account of ${referencl}, which the test uses. Let create make another one, or write ${writeEntry('leaveOut', name)}.`,
  );
}

function partOf<Part extends keyof RouteRequest>(request: RouteRequest, name: Part, row: RowValues) {
  const part: unknown = request[name];
  type Value = Exclude<RouteRequest[Part], (row: never) => unknown>;
  return (typeof part === 'function' ? Reflect.apply(part, undefined, [row]) : part) as Value;
}
