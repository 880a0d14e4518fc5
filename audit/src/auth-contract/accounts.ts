import { entryFor, type HostRoute } from './host-routes.js';
import type { Resource } from './host-under-test.js';
import type { Visit } from './visit.js';

/** Returns the routes of a host by the case that tests them. Only a route of rows or of operators can have no guard. */
export function accountsOf(visit: Visit) {
  const { host, paths, found } = visit;
  const { routes, hidden, isWalked } = found;
  const isLeftOut = ({ name }: { readonly name: string }) => entryFor(host.leaveOut, name) !== undefined;
  const isRefused = ({ name }: HostRoute) => entryFor(host.refused, name) !== undefined;
  const isOfRows = (route: HostRoute) => resourcesOf(route, visit).length > 0;
  const isTransactions = ({ name }: HostRoute) =>
    host.transactions !== undefined && name.toLowerCase() === `POST ${visit.transactionsPath}`.toLowerCase();
  const isList = ({ method, path, request: { body } }: HostRoute) =>
    paths.isOnePath(path) && (method === 'GET' || (method === 'POST' && typeof body === 'object'));
  // Without a name of the reference in its path, a route that demands one can take it in any parameter.
  const isOfReference = (route: HostRoute) =>
    paths.hasReference(route.path)
      ? paths.isOnePath(route.path) || isOfRows(route)
      : route.isDemanded && paths.parametersIn(route.path).length > 0 && !isOfRows(route);
  /** The answers to HEAD and OPTIONS show no rows. */
  const isBodiless = ({ method, path }: HostRoute) => /^(?:HEAD|OPTIONS)$/.test(method) && paths.isOnePath(path);
  const isTested = [isList, isBodiless, isOfRows, isTransactions, isOfReference];
  const tested = routes.filter((route) => !isLeftOut(route));
  const open = tested.filter((route) => !isRefused(route));
  const guarded = open.filter(({ isGuarded }) => isGuarded);
  return {
    isWalked,
    routes,
    all: routes.filter((route) => route.isGuarded || isRefused(route) || isOfRows(route)).map(({ name }) => name),
    refused: tested.filter(isRefused),
    ofRows: open.filter((route) => isOfRows(route) && paths.parametersIn(route.path).length + takesRow(route) > 0),
    ofReference: guarded.filter(isOfReference),
    lists: guarded.filter(isList),
    untested: guarded.filter((route) => !isTested.some((is) => is(route))),
    hidden: hidden.filter((one) => !isLeftOut(one)),
  };
}

/** Returns 1 for a route whose entry makes its request of a row. */
function takesRow({ request: { body, query, headers } }: HostRoute): number {
  return [body, query, headers].some((part) => typeof part === 'function') ? 1 : 0;
}

/**
 * Returns the resource that a route takes the ids of: the one whose `read` shares the longest path with it. For a route
 * with an id in its body, query or headers, returns all, because only their answers tell which one it is.
 */
export function resourcesOf(route: HostRoute, { host, paths }: Pick<Visit, 'host' | 'paths'>): readonly Resource[] {
  const { resources = [] } = host;
  const [nearest] = resources
    .map((resource) => {
      const path = rowPathOf(resource, paths);
      return { resource, length: paths.sharedLength(route.path, path), size: path.length };
    })
    .filter(({ length }) => length > 0)
    .sort((one, other) => other.length - one.length || one.size - other.size);
  if (nearest) return [nearest.resource];
  return takesRow(route) > 0 && paths.parametersIn(route.path).length === 0 ? resources : [];
}

/** Returns the path of one row. A list has its rows below it. */
function rowPathOf({ read }: Resource, paths: Visit['paths']): string {
  const path = read.replace(/^\S+ /, '');
  return paths.parametersIn(path).length > 0 ? path : `${path}/:row`;
}
