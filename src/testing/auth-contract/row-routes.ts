import { REFERENCE_FIELD } from '../../ownership/references.js';
import type { HostRoute } from './host-routes.js';
import type { HostUnderTest, RowRoute } from './host-under-test.js';
import { BODILESS } from './visit.js';

/** A route to test. */
export interface TestedRoute extends Pick<RowRoute, 'method' | 'body' | 'skip'> {
  /** The route as messages show it. */
  readonly name: string;
  /** Says how to give a request that the owner of a row may send. */
  readonly advice: string;
  /** Returns the path of a row. Absent for a route that the contract cannot ask. */
  readonly path?: RowRoute['path'];
}

const REQUEST = 'a request that the owner of the row may send';
const OR_SKIP = "Or leave it out: skip: true, reason: '...'.";

/** Matches a path parameter of Express 4 or 5, with its expression and its mark of an optional one. */
const PARAMETER = /:"?(\w+)"?(?:\([^/]*\))?[?+]?/g;

/**
 * Returns the routes that take the id of a transaction: those of `rows`, and those of `routes` whose path continues that
 * of the transactions.
 * @throws TypeError for a skipped route without a reason, and for `rows` at a wrong place
 */
export function rowRoutesOf(
  { rows = [], transactions }: HostUnderTest,
  transactionsPath: string,
  routes: readonly HostRoute[],
): readonly TestedRoute[] {
  if ('rows' in transactions) throw new TypeError('authContract: rows is a member of the host, beside transactions.');
  const named = rows.map((row) => {
    const method = row.method.toUpperCase();
    const advice = `Correct path and body in rows, functions of (id, referencl): it needs ${REQUEST}. ${OR_SKIP}`;
    return { ...row, method, name: `${method} ${row.path(':id', `:${REFERENCE_FIELD}`)}`, advice };
  });
  if (named.some(({ skip, reason }) => skip === true && !reason)) {
    throw new TypeError('authContract: a route of rows that is skipped needs a reason.');
  }
  const prefix = `${transactionsPath.toLowerCase()}/`;
  const below = routes.filter(({ path }) => path.replace(/[{}]/g, '').toLowerCase().startsWith(prefix));
  return [...named, ...below.filter((route) => !isNamedRow(route, rows)).flatMap(testedRoute)];
}

/** Stands for an id where a route of `rows` is compared with a route of the app. No encoding of a path changes it. */
const ID = '~id~';

/** Returns true for a route that `rows` names. */
export function isNamedRow(route: HostRoute, rows: readonly RowRoute[]): boolean {
  const path = route.path.replace(/[{}]/g, '');
  return rows.some((row) => row.method.toUpperCase() === methodOf(route) && isAt(row.path(ID, ID), path));
}

function methodOf({ method }: HostRoute): string {
  return method === 'ALL' ? 'GET' : method;
}

function testedRoute(found: HostRoute): readonly TestedRoute[] {
  const path = found.path.replace(/[{}]/g, '');
  const parameters = [...path.matchAll(PARAMETER)].filter(([, name]) => name !== REFERENCE_FIELD);
  if (parameters.length === 0) return [];
  const method = methodOf(found);
  const body = BODILESS.test(method) ? '' : ', body: (id, referencl) => ({ ... })';
  const row = `{ method: '${method}', path: (id, referencl) => \`${path.replace(PARAMETER, '${id}')}\`${body} }`;
  const route = { method, name: found.name, advice: `Name it in rows with ${REQUEST}: ${row}. ${OR_SKIP}` };
  if (parameters.length > 1) return [route];
  const query = (referencl: string) => (found.isDemanded ? `?${REFERENCE_FIELD}=${encodeURIComponent(referencl)}` : '');
  return [{ ...route, path: (id, referencl) => fill(path, id, referencl) + query(referencl) }];
}

/** Returns true when a path has an id in a parameter of a route, any text in its others, and is equal everywhere else. */
function isAt(path: string, pathOfRoute: string): boolean {
  const given = path.replace(/\?.*/, '').toLowerCase().split('/');
  const parts = pathOfRoute.split('/');
  const isFilled = (part: string, index: number) => fill(part, ID, ID).toLowerCase() === given[index];
  const isOther = (part: string, index: number) => part.replace(PARAMETER, '') === '' && !given[index]?.includes(ID);
  return (
    given.length === parts.length &&
    path.includes(ID) &&
    parts.every((part, index) => isFilled(part, index) || (part !== '' && isOther(part, index)))
  );
}

/** Writes a row's id and the caller's reference into a path of Express. */
export function fill(path: string, id: string, referencl: string): string {
  return path.replace(PARAMETER, (_, name) => encodeURIComponent(name === REFERENCE_FIELD ? referencl : id));
}
