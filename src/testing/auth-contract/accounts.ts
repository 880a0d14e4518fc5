import { REFERENCE_FIELD } from '../../ownership/references.js';
import { entryFor, type HostRoute, hostRoutesOf } from './host-routes.js';
import type { HostUnderTest } from './host-under-test.js';
import { isNamedRow, rowRoutesOf } from './row-routes.js';

/** The part of the contract that tests a route. */
type Outcome = 'left out' | 'refused' | 'covered' | 'swept' | 'nothing';

/** Returns the routes behind a guard by the part of the contract that tests them, with those that it asks without one. */
export function accountsOf(host: HostUnderTest, transactionsPath: string) {
  const { routes, hidden, isWalked } = hostRoutesOf(host);
  const isLeftOut = (name: string) => entryFor(host.leaveOut, name) !== undefined;
  const outcomeOf = (route: HostRoute): Outcome => {
    if (isLeftOut(route.name)) return 'left out';
    if (entryFor(host.refused, route.name) !== undefined) return 'refused';
    if (isCovered(route, host, transactionsPath)) return 'covered';
    return route.method === 'GET' && isOnePath(route.path) ? 'swept' : 'nothing';
  };
  const accounted = routes
    .map((route) => ({ route, outcome: outcomeOf(route) }))
    .filter(({ route, outcome }) => route.isGuarded || outcome === 'refused' || outcome === 'covered');
  return {
    isWalked,
    all: accounted.map(({ route }) => route.name),
    of: (wanted: Outcome) => accounted.flatMap(({ route, outcome }) => (outcome === wanted ? [route] : [])),
    hidden: hidden.filter(({ name }) => !isLeftOut(name)),
  };
}

/** Returns true for the POST of the transactions, and for the routes that the case of rows asks. */
function isCovered(route: HostRoute, host: HostUnderTest, transactionsPath: string): boolean {
  if (route.name.toLowerCase() === `POST ${transactionsPath}`.toLowerCase()) return true;
  return (
    isNamedRow(route, host.rows ?? []) ||
    rowRoutesOf(host, transactionsPath, [route]).some(({ name }) => name === route.name)
  );
}

/** Returns true when a path is the same for all requests of one merchant. */
function isOnePath(path: string): boolean {
  return /^[\w/.~-]*$/.test(path.replaceAll(`:${REFERENCE_FIELD}`, ''));
}
