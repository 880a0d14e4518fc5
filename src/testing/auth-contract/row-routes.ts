import type { RequestListener } from 'node:http';
import { REFERENCE_FIELD } from '../../ownership/references.js';
import { routerOf } from '../audit-routes/express-app.js';
import { walk } from '../audit-routes/walk.js';
import type { HostUnderTest, RowRoute, TestMerchant } from './host-under-test.js';

/** A route to test. */
export interface TestedRoute extends Pick<RowRoute, 'method' | 'body' | 'skip'> {
  /** The route as messages show it. */
  readonly name: string;
  /** The path as a template of JavaScript, for a message. */
  readonly pathOfId: string;
  /** True for a route of `rows`. */
  readonly isNamed: boolean;
  /** Returns the path of a row. Absent for a route that the contract cannot ask. */
  readonly path?: (id: string, caller: TestMerchant) => string;
}

/** Matches a path parameter of Express 4 or 5, with its expression and its mark of an optional one. */
const PARAMETER = /:"?(\w+)"?(?:\([^/]*\))?[?+]?/g;

/**
 * Returns the routes that take the id of a transaction: those of `rows`, and those of the app whose path continues that
 * of the transactions.
 * @throws TypeError for a skipped route without a reason, and for `rows` at a wrong place
 */
export function rowRoutesOf(host: HostUnderTest, transactionsPath: string): readonly TestedRoute[] {
  const { app, rows = [], transactions } = host;
  if ('rows' in transactions) throw new TypeError('authContract: rows is a member of the host, beside transactions.');
  const named = rows.map((row) => {
    const method = row.method.toUpperCase();
    return { ...row, method, name: `${method} ${row.path(':id')}`, pathOfId: '', isNamed: true };
  });
  if (named.some(({ skip, reason }) => skip === true && !reason)) {
    throw new TypeError('authContract: a route of rows that is skipped needs a reason.');
  }
  const known = new Set(named.map(({ method, path }) => `${method} ${path(ID)}`));
  const walked = routesBelow(app, transactionsPath).filter(({ method, path, pathOfId }) => {
    if (path !== undefined) return !known.has(`${method} ${path(ID, NOBODY)}`);
    const pattern = new RegExp(`^${pathOfId.replaceAll('${id}', '[^/]+')}$`, 'i');
    return !named.some((row) => row.method === method && pattern.test(row.path(ID)));
  });
  return [...named, ...walked];
}

/** Stands for an id where a route of `rows` is compared with a route of the app. */
const ID = 'id';
const NOBODY: TestMerchant = { email: '', password: '', referencl: ID };

function routesBelow(app: RequestListener | undefined, transactionsPath: string): readonly TestedRoute[] {
  const steps = [...walk(routerOf(app) ?? { stack: [] })];
  const prefix = `${transactionsPath.toLowerCase()}/`;
  return steps.flatMap((step) => {
    if (step.kind !== 'route' || !step.route.path.toLowerCase().startsWith(prefix)) return [];
    const { method, path } = step.route;
    const parameters = [...path.matchAll(PARAMETER)].filter(([, name]) => name !== REFERENCE_FIELD);
    if (parameters.length === 0) return [];
    const pathOfId = path.replace(/[{}]/g, '').replace(PARAMETER, '$${id}');
    const route = { method: method === 'ALL' ? 'GET' : method, name: `${method} ${path}`, pathOfId, isNamed: false };
    return parameters.length > 1 ? route : { ...route, path: (id, caller) => fill(path, id, caller) };
  });
}

/** Writes a row's id and the caller's reference into a path of Express. */
function fill(path: string, id: string, { referencl }: TestMerchant): string {
  return path
    .replace(/[{}]/g, '')
    .replace(PARAMETER, (_, name) => encodeURIComponent(name === REFERENCE_FIELD ? referencl : id));
}
