import type { AskedHost, KnownRoute } from './asked-host.js';
import type { HostUnderTest, Resource, RouteRequest } from './host-under-test.js';
import { createPaths, type Paths } from './paths.js';

type Known = Partial<KnownRoute> & Pick<KnownRoute, 'method' | 'path'>;

/** `name` is in the report, and a key of the host's entries. */
export interface HostRoute extends Omit<Known, 'request'> {
  readonly name: string;
  /** Method and path. For `app.all`, one of the methods that it is asked with. */
  readonly title: string;
  /** Those that take ids. */
  readonly parameters: readonly string[];
  /** The entry of the host's `routes`. */
  readonly request: RouteRequest;
  /** The route can take their ids. */
  readonly resources: readonly Resource[];
}

export type Found = ReturnType<typeof findRoutes>;

const DEFAULT_NAME = 'refercence_cl';
const METHODS_OF_ALL = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** Groups routes by the case that tests them. Without an app, only those that the host names are known. */
export function findRoutes(host: HostUnderTest, asked: AskedHost = { routes: [], referenceNames: [] }) {
  const { app, referenceName = DEFAULT_NAME, transactions, loginPath = '/v1/login' } = host;
  const referenceNames = [...new Set([referenceName, ...asked.referenceNames])];
  const paths = createPaths(referenceNames);
  const routes = app ? asked.routes.map((one) => routeOf(host, paths, one)) : namesIn(host).map(parse);
  function parse(name: string): HostRoute {
    const [method = '', path = ''] = name.split(' ');
    return routeOf(host, paths, { method, path });
  }
  const transactionsPath = transactions?.path ?? '/v1/transactions';
  const isRefused = ({ name }: HostRoute) => entryFor(host.refused, name) !== undefined;
  const isOfRows = ({ resources: some }: HostRoute) => some.length > 0;
  const isList = ({ method, path, request: { body } }: HostRoute) =>
    paths.isOnePath(path) && (method === 'GET' || (method === 'POST' && !!body && typeof body !== 'function'));
  // The id of a row beside the reference needs its own test.
  const isOfReference = ({ path, parameters, isFromPath }: HostRoute) =>
    paths.hasReference(path) ? paths.isOnePath(path) : isFromPath && parameters.length === 1;
  const isTransactions = ({ name }: HostRoute) => transactions && isSame(name, `POST ${transactionsPath}`);
  const tested = routes.filter(({ name }) => entryFor(host.leaveOut, name) === undefined);
  const open = tested.filter((route) => !isRefused(route));
  const guarded = open.filter(({ isGuarded }) => isGuarded);
  return {
    isWalked: app !== undefined,
    asked: asked.routes.filter(({ method, path }) => !isSame(`${method} ${path}`, `POST ${loginPath}`)),
    referenceName,
    referenceNames,
    /** With the default name: a column can have it where the guard checks others. */
    sentNames: [...new Set([...referenceNames, DEFAULT_NAME])],
    paths,
    routes,
    transactionsPath,
    refused: tested.filter(isRefused).flatMap(methodsOf),
    ofRows: open.filter(isOfRows).flatMap(methodsOf),
    guarded,
    lists: guarded.filter(isList),
    untested: guarded.filter((one) => !isList(one) && !isOfRows(one) && !isTransactions(one) && !isOfReference(one)),
    readerOf: ({ read }: Resource) => routes.find(({ name }) => isSame(name, read)) ?? parse(read),
  };
}

function namesIn({ routes, refused, resources = [] }: HostUnderTest): readonly string[] {
  const names = [...Object.keys({ ...routes, ...refused }), ...resources.map(({ read }) => read)];
  return [...new Set(names)].filter((name) => !name.endsWith('/*'));
}

function routeOf({ routes, resources }: HostUnderTest, paths: Paths, known: Known): HostRoute {
  const { method, path, isGuarded = true, isOfOthers = false } = known;
  const name = `${method} ${path}`;
  const entry = entryFor(routes, name);
  const request = entry ?? {};
  return {
    ...known,
    ...{ name, title: name, request, parameters: paths.parametersIn(path) },
    // The entry can have the key that lets the merchant pass.
    isGuarded: isGuarded && (!isOfOthers || entry !== undefined),
    resources: resourcesOf(path, request, resources, paths),
  };
}

/**
 * Returns the resource whose `read` shares the longest path with the route. For an id in the body, query or headers,
 * returns all: only their answers tell which one it is.
 */
function resourcesOf(path: string, request: RouteRequest, resources: readonly Resource[] = [], paths: Paths) {
  const [nearest] = resources
    .map((resource) => {
      const [, read = ''] = resource.read.split(' ');
      // A list has its rows below it.
      const isList = paths.parametersIn(read).length === 0;
      const row = isList ? `${read}/:row` : read;
      return { resource, length: paths.sharedLength(path, row), isList, size: row.length };
    })
    .filter(({ length }) => length > 0)
    .sort(
      (one, other) => other.length - one.length || Number(one.isList) - Number(other.isList) || one.size - other.size,
    );
  if (nearest) return [nearest.resource];
  const takesRow = [request.body, request.query, request.headers].some((part) => typeof part === 'function');
  return takesRow && paths.parametersIn(path).length === 0 ? resources : [];
}

function methodsOf(route: HostRoute): readonly HostRoute[] {
  if (route.method !== 'ALL' && route.method !== 'USE') return [route];
  return METHODS_OF_ALL.map((method) => ({ ...route, method, title: `${method} ${route.path}` }));
}

/** Returns the entry of the name, or of the longest path above with `/*`. */
export function entryFor<Entry>(entries: Readonly<Record<string, Entry>> = {}, name: string): Entry | undefined {
  const above = Object.keys(entries).filter((key) => isAbove(key, name));
  const [longest = name] = above.sort((one, other) => other.length - one.length);
  return entries[name] ?? entries[longest];
}

function isAbove(key: string, name: string): boolean {
  return key.endsWith('/*') && name.startsWith(key.slice(0, -1));
}

export function writeEntry(member: 'leaveOut' | 'open' | 'refused', name: string): string {
  return `${member}: { '${name}': 'the reason' }`;
}
