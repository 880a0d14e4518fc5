import { type AskedHost, DEFAULT_NAME, type KnownRoute } from './asked-host.js';
import type { HostUnderTest, Resource, RouteRequest } from './host-under-test.js';
import { createPaths, entryFor } from './paths.js';

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

const METHODS_OF_ALL = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** Groups routes by the case that tests them. Without an app, only those that the host names are known. */
export function findRoutes(host: HostUnderTest, asked: AskedHost = { routes: [], referenceNames: [] }) {
  const [defaultName = DEFAULT_NAME] = asked.referenceNames;
  const { app, referenceName = defaultName, transactions, loginPath = '/v1/login', resources = [] } = host;
  const referenceNames = [...new Set([referenceName, ...asked.referenceNames])];
  const paths = createPaths(referenceNames);
  const transactionsPath = transactions?.path ?? '/v1/transactions';

  const routeOf = (known: Known): HostRoute => {
    const name = `${known.method} ${known.path}`;
    const request = entryFor(host.routes, name) ?? {};
    return {
      ...known,
      ...{ name, title: name, request, parameters: paths.parametersIn(known.path) },
      resources: resourcesOf(known.path, request),
    };
  };
  const parse = (name: string) => {
    const [method = '', path = ''] = name.split(' ');
    return routeOf({ method, path, isGuarded: true });
  };
  /**
   * Returns the resource whose `read` shares the longest path with the route. For an id in the body, query or headers,
   * returns all: only their answers tell which one it is.
   */
  const resourcesOf = (path: string, { body, query, headers }: RouteRequest): readonly Resource[] => {
    const rated = resources.map((resource) => {
      const [, read = ''] = resource.read.split(' ');
      // A list has its rows below it.
      const isList = paths.parametersIn(read).length === 0;
      const length = paths.sharedLength(path, isList ? `${read}/:row` : read);
      // Of several, the one of a row itself comes first.
      return { resource, length, rank: length - (isList ? 0.5 : 0) - read.length / 1e4 };
    });
    const [nearest] = rated.filter(({ length }) => length > 0).sort((one, other) => other.rank - one.rank);
    if (nearest) return [nearest.resource];
    const takesRow = [body, query, headers].some((part) => typeof part === 'function');
    return takesRow && paths.parametersIn(path).length === 0 ? resources : [];
  };
  const named = [...Object.keys({ ...host.routes, ...host.refused }), ...resources.map(({ read }) => read)];
  const names = [...new Set(named)].filter((name) => !name.endsWith('/*'));
  const routes = app ? asked.routes.map(routeOf) : names.map(parse);
  const isRefused = ({ name }: HostRoute) => entryFor(host.refused, name) !== undefined;
  const isList = ({ method, path, request: { body } }: HostRoute) =>
    paths.isOnePath(path) && (method === 'GET' || (method === 'POST' && !!body && typeof body !== 'function'));
  // The id of a row beside the reference needs its own test.
  const isOfReference = ({ path, parameters, isFromPath }: HostRoute) =>
    paths.referencesIn(path).length > 0 ? paths.isOnePath(path) : isFromPath === true && parameters.length === 1;
  const isCovered = (route: HostRoute) =>
    isList(route) ||
    route.resources.length > 0 ||
    isOfReference(route) ||
    (transactions !== undefined && isSame(route.name, `POST ${transactionsPath}`));
  const tested = routes.filter(({ name }) => entryFor(host.leaveOut, name) === undefined);
  const guarded = tested.filter((route) => route.isGuarded && !isRefused(route));
  return {
    isWalked: app !== undefined,
    asked: asked.routes.filter(({ method, path }) => !isSame(`${method} ${path}`, `POST ${loginPath}`)),
    ...{ referenceName, referenceNames, paths, routes, transactionsPath, guarded },
    /** With the default name: a column can have it where the guard checks others. */
    sentNames: [...new Set([...referenceNames, DEFAULT_NAME])],
    refused: tested.filter(isRefused),
    ofRows: tested.filter((route) => !isRefused(route) && route.resources.length > 0),
    lists: guarded.filter(isList),
    untested: guarded.filter((route) => !isCovered(route)),
    readerOf: ({ read }: Resource) => routes.find(({ name }) => isSame(name, read)) ?? parse(read),
  };
}

export function methodsOf(route: HostRoute): readonly HostRoute[] {
  if (route.method !== 'ALL' && route.method !== 'USE') return [route];
  return METHODS_OF_ALL.map((method) => ({ ...route, method, title: `${method} ${route.path}` }));
}

/** Returns the text of a resource that covers the route. */
export function resourceOf({ path, parameters }: HostRoute): string {
  const values = parameters.map((parameter) => `${parameter}: ...`).join(', ');
  return `{ read: 'GET ${path}', create: async (as) => ({ ${values} }) }`;
}
