import type { AskedHost, KnownRoute } from './asked-host.js';
import type { HostUnderTest, Resource, RouteRequest } from './host-under-test.js';
import { createPaths, type Paths } from './paths.js';

/** A route of the host, with the name that the report prints and that the entries of the host use. */
export interface HostRoute {
  readonly name: string;
  /** The method and the path. The method of a route of `app.all` is one of those that it is asked with. */
  readonly title: string;
  readonly method: string;
  readonly path: string;
  /** The names of the parameters that take ids. */
  readonly parameters: readonly string[];
  readonly isGuarded: boolean;
  readonly isDemanded: boolean;
  readonly isFromPath: boolean;
  /** The entry of the host's `routes`. */
  readonly request: RouteRequest;
  /** The resources that the route can take ids of. */
  readonly resources: readonly Resource[];
}

export type Found = ReturnType<typeof findRoutes>;

const DEFAULT_NAME = 'refercence_cl';
const METHODS_OF_ALL = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Returns the routes of a host. Without an app, nobody has looked for routes, and those that the host names are all that are
 * known.
 */
export function findRoutes(host: HostUnderTest, asked: AskedHost = { routes: [], referenceNames: [] }) {
  const { app, routes: entries, refused, resources = [], referenceName = DEFAULT_NAME, loginPath = '/v1/login' } = host;
  const referenceNames = [...new Set([referenceName, ...asked.referenceNames])];
  const paths = createPaths(referenceNames);
  const routeOf = (method: string, path: string, known: Partial<KnownRoute> = {}): HostRoute => {
    const { isOfOthers = false, isDemanded = false, isFromPath = false } = known;
    const name = `${method} ${path}`;
    const entry = entryFor(entries, name);
    // The entry can have the key that lets the merchant pass.
    const isGuarded = (known.isGuarded ?? true) && (!isOfOthers || entry !== undefined);
    const route = {
      name,
      title: name,
      method,
      path,
      isGuarded,
      isDemanded,
      isFromPath,
      parameters: paths.parametersIn(path),
    };
    const request = entry ?? {};
    return { ...route, request, resources: resourcesOf({ ...route, request }, resources, paths) };
  };
  const parse = (name: string) => {
    const [method = '', path = ''] = name.split(' ');
    return routeOf(method, path);
  };
  const names = [...Object.keys({ ...entries, ...refused }), ...resources.map(({ read }) => read)];
  const named = new Set(names.filter((name) => !name.endsWith('/*')));
  const routes = app ? asked.routes.map((route) => routeOf(route.method, route.path, route)) : [...named].map(parse);
  return {
    isWalked: app !== undefined,
    asked: asked.routes,
    isLogin: (name: string) => name.toLowerCase() === `POST ${loginPath}`.toLowerCase(),
    referenceName,
    referenceNames,
    /** The names of the reference, and the default one, which can be that of a column where the guard checks others. */
    sentNames: [...new Set([...referenceNames, DEFAULT_NAME])],
    paths,
    routes,
    ...accountsOf(host, routes, paths),
    /** Returns the route that reads a row of a resource. */
    readerOf: ({ read }: Resource) =>
      routes.find(({ name }) => name.toLowerCase() === read.toLowerCase()) ?? parse(read),
  };
}

/**
 * Returns the resource whose `read` shares the longest path with a route. For a route with an id in its body, query or
 * headers, returns all, because only their answers tell which one it is.
 */
function resourcesOf(
  route: Pick<HostRoute, 'path' | 'parameters' | 'request'>,
  resources: readonly Resource[],
  paths: Paths,
): readonly Resource[] {
  const [nearest] = resources
    .map((resource) => {
      const [, read = ''] = resource.read.split(' ');
      // A list has its rows below it.
      const path = paths.parametersIn(read).length > 0 ? read : `${read}/:row`;
      return { resource, length: paths.sharedLength(route.path, path), size: path.length };
    })
    .filter(({ length }) => length > 0)
    .sort((one, other) => other.length - one.length || one.size - other.size);
  if (nearest) return [nearest.resource];
  return takesRow(route) && route.parameters.length === 0 ? resources : [];
}

function takesRow({ request: { body, query, headers } }: Pick<HostRoute, 'request'>): boolean {
  return [body, query, headers].some((part) => typeof part === 'function');
}

/** Returns the routes of a host by the case that tests them. Only a route of rows or of operators can have no guard. */
function accountsOf({ leaveOut, refused, transactions }: HostUnderTest, routes: readonly HostRoute[], paths: Paths) {
  const isRefused = ({ name }: HostRoute) => entryFor(refused, name) !== undefined;
  const isOfRows = ({ resources }: HostRoute) => resources.length > 0;
  const transactionsPath = transactions?.path ?? '/v1/transactions';
  const isTransactions = ({ name }: HostRoute) =>
    transactions !== undefined && name.toLowerCase() === `POST ${transactionsPath}`.toLowerCase();
  const isList = ({ method, path, request: { body } }: HostRoute) =>
    paths.isOnePath(path) &&
    (method === 'GET' || (method === 'POST' && body !== undefined && typeof body !== 'function'));
  // The id of a row beside the reference needs its own test.
  const isOfReference = ({ path, parameters, isFromPath }: HostRoute) =>
    paths.hasReference(path) ? paths.isOnePath(path) : isFromPath && parameters.length === 1;
  const isTested = [isList, isOfRows, isTransactions, isOfReference];
  const tested = routes.filter(({ name }) => entryFor(leaveOut, name) === undefined);
  const open = tested.filter((route) => !isRefused(route));
  const guarded = open.filter(({ isGuarded }) => isGuarded);
  return {
    all: routes.filter((route) => route.isGuarded || isRefused(route) || isOfRows(route)),
    refused: tested.filter(isRefused).flatMap(methodsOf),
    ofRows: open
      .filter((route) => isOfRows(route) && (route.parameters.length > 0 || takesRow(route)))
      .flatMap(methodsOf),
    guarded,
    lists: guarded.filter(isList),
    untested: guarded.filter((route) => !isTested.some((is) => is(route))),
    transactionsPath,
  };
}

function methodsOf(route: HostRoute): readonly HostRoute[] {
  if (route.method !== 'ALL' && route.method !== 'USE') return [route];
  return METHODS_OF_ALL.map((method) => ({ ...route, method, title: `${method} ${route.path}` }));
}

/** Returns the entry for a route: that of its name, or that of the longest path above with `/*`. */
export function entryFor<Entry>(entries: Readonly<Record<string, Entry>> | undefined, name: string): Entry | undefined {
  const keys = Object.keys(entries ?? {}).filter((key) => isKeyOf(key, name));
  return entries?.[keys.includes(name) ? name : (keys.sort((one, other) => other.length - one.length)[0] ?? name)];
}

function isKeyOf(key: string, name: string): boolean {
  return key === name || (key.endsWith('/*') && name.startsWith(key.slice(0, -1)));
}

export function writeEntry(member: 'leaveOut' | 'open' | 'refused', name: string): string {
  return `${member}: { '${name}': 'the reason' }`;
}

/** @throws TypeError for a key of the host that names nothing, and for an entry without a reason */
export function checkEntries(host: HostUnderTest, found: Found, cases: readonly string[]): void {
  const known = found.routes.map(({ name }) => name);
  for (const member of ['routes', 'open', 'refused', 'leaveOut'] as const) {
    const names = member === 'leaveOut' ? [...known, ...cases] : known;
    for (const [key, entry] of Object.entries<unknown>(host[member] ?? {})) {
      // Without an app, a route can be right that no other entry names, so that one test is for the app and for its address.
      if (!names.some((name) => isKeyOf(key, name)) && (found.isWalked || !key.includes('/'))) {
        const spelling = 'Copy a route as the report of auditRoutes prints it, for example "GET /v1/payments/:id"';
        const orCase = member === 'leaveOut' ? ', or the whole name of a case' : '';
        throw new TypeError(
          `authContract: ${member} has "${key}", which is nothing of this host. ${spelling}${orCase}.`,
        );
      }
      if (member !== 'routes' && (typeof entry !== 'string' || entry === '')) {
        throw new TypeError(`authContract: ${member} of "${key}" needs a reason.`);
      }
    }
  }
}
