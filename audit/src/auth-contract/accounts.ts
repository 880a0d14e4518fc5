import { entryFor, type HostRoute, hostRoutesOf } from './host-routes.js';
import type { HostUnderTest, Resource } from './host-under-test.js';
import { isOnePath, parametersIn, sharedLength } from './paths.js';
import type { Visit } from './visit.js';

/** Returns the routes of a host by the case that tests them. Only a route of rows or of operators can have no guard. */
export function accountsOf({ host, transactionsPath }: Pick<Visit, 'host' | 'transactionsPath'>) {
  const { routes, hidden, isWalked } = hostRoutesOf(host);
  const isLeftOut = ({ name }: { readonly name: string }) => entryFor(host.leaveOut, name) !== undefined;
  const isRefused = ({ name }: HostRoute) => entryFor(host.refused, name) !== undefined;
  const isOfRows = (route: HostRoute) => resourcesOf(route, host).length > 0;
  const isTransactions = ({ name }: HostRoute) => name.toLowerCase() === `POST ${transactionsPath}`.toLowerCase();
  const tested = routes.filter((route) => !isLeftOut(route));
  const open = tested.filter((route) => !isRefused(route));
  const guarded = open.filter(({ isGuarded }) => isGuarded);
  return {
    isWalked,
    routes,
    all: routes.filter((route) => route.isGuarded || isRefused(route) || isOfRows(route)).map(({ name }) => name),
    refused: tested.filter(isRefused),
    ofRows: open.filter(isOfRows),
    lists: guarded.filter(isList),
    untested: guarded.filter((route) => !isBodiless(route) && !isOfRows(route) && !isTransactions(route)),
    hidden: hidden.filter((one) => !isLeftOut(one)),
  };
}

/**
 * Returns the resource that a route takes the ids of: the one whose `read` shares the longest path with it. For a route
 * with an id in its body or query, returns all, because only their answers tell which one it is.
 */
export function resourcesOf({ path, request }: HostRoute, { resources = [] }: HostUnderTest): readonly Resource[] {
  const [nearest] = resources
    .map((resource) => ({ resource, length: sharedLength(path, pathOf(resource)), size: pathOf(resource).length }))
    .filter(({ length }) => length > 0)
    .sort((one, other) => other.length - one.length || one.size - other.size);
  if (nearest) return [nearest.resource];
  const isOfRow = [request.body, request.query].some((part) => typeof part === 'function');
  return isOfRow && parametersIn(path).length === 0 ? resources : [];
}

const isList = ({ method, path }: HostRoute) => method === 'GET' && isOnePath(path);

/** The answers to HEAD and OPTIONS show no rows. */
const isBodiless = ({ method, path }: HostRoute) => /^(?:GET|HEAD|OPTIONS)$/.test(method) && isOnePath(path);

const pathOf = ({ read }: Resource) => read.replace(/^\S+ /, '');
