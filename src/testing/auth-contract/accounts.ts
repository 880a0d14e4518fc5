import { entryFor, type HostRoute, hostRoutesOf } from './host-routes.js';
import type { HostUnderTest, Resource } from './host-under-test.js';
import { isOnePath, parametersIn, sharedLength } from './paths.js';

/** The part of the contract that tests a route. */
type Outcome = 'left out' | 'refused' | 'covered' | 'swept' | 'nothing';

/** Returns the routes behind a guard by the part of the contract that tests them, with those that it asks without one. */
export function accountsOf(host: HostUnderTest, transactionsPath: string) {
  const { routes, hidden, isWalked } = hostRoutesOf(host);
  const isLeftOut = (name: string) => entryFor(host.leaveOut, name) !== undefined;
  const outcomeOf = (route: HostRoute): Outcome => {
    if (isLeftOut(route.name)) return 'left out';
    if (entryFor(host.refused, route.name) !== undefined) return 'refused';
    if (route.name.toLowerCase() === `POST ${transactionsPath}`.toLowerCase()) return 'covered';
    if (resourcesOf(route, host).length > 0) return 'covered';
    return isList(route) ? 'swept' : 'nothing';
  };
  const accounted = routes
    .map((route) => ({ route, outcome: outcomeOf(route) }))
    .filter(({ route, outcome }) => route.isGuarded || outcome === 'refused' || outcome === 'covered');
  // The query of a list can take ids, so that the list is covered too.
  const isSwept = ({ route, outcome }: (typeof accounted)[number]) =>
    outcome === 'swept' || (outcome === 'covered' && isList(route) && entryFor(host.routes, route.name)?.query);
  return {
    isWalked,
    lists: accounted.filter(isSwept).map(({ route }) => route),
    all: accounted.map(({ route }) => route.name),
    of: (wanted: Outcome) => accounted.flatMap(({ route, outcome }) => (outcome === wanted ? [route] : [])),
    hidden: hidden.filter(({ name }) => !isLeftOut(name)),
  };
}

/**
 * Returns the resource that a route takes the ids of: the one whose `read` shares the longest path with it. For a route
 * with an id in its body or query, returns all, because only their answers tell which one it is.
 */
export function resourcesOf({ name, path }: HostRoute, { resources = [], routes }: HostUnderTest): readonly Resource[] {
  const [nearest] = resources
    .map((resource) => ({ resource, length: sharedLength(path, pathOf(resource)), size: pathOf(resource).length }))
    .filter(({ length }) => length > 0)
    .sort((one, other) => other.length - one.length || one.size - other.size);
  if (nearest) return [nearest.resource];
  const { body, query } = entryFor(routes, name) ?? {};
  const isOfRow = parametersIn(path).length === 0 && [body, query].some((part) => typeof part === 'function');
  return isOfRow ? resources : [];
}

const isList = ({ method, path }: HostRoute) => method === 'GET' && isOnePath(path);

const pathOf = ({ read }: Resource) => read.replace(/^\S+ /, '');
