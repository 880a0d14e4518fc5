import type { RequestListener } from 'node:http';
import { REFERENCE_FIELD } from '../../ownership/references.js';
import { routerOf } from '../audit-routes/express-app.js';
import { walk } from '../audit-routes/walk.js';
import type { HostUnderTest, RowRoute, TestMerchant } from './host-under-test.js';

/** A route to test. */
export interface TestedRoute extends Pick<RowRoute, 'method' | 'body' | 'skip'> {
  /** The route as messages show it. */
  readonly name: string;
  /** Says how to give a request that the owner of a row may send. */
  readonly advice: string;
  /** Returns the path of a row. Absent for a route that the contract cannot ask. */
  readonly path?: (id: string, caller: TestMerchant) => string;
}

const REQUEST = 'a request that the owner of the row may send';
const OR_SKIP = "Or leave it out: skip: true, reason: '...'.";

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
    const advice = `Correct path and body in rows: it needs ${REQUEST}. ${OR_SKIP}`;
    return { ...row, method, name: `${method} ${row.path(':id')}`, advice };
  });
  if (named.some(({ skip, reason }) => skip === true && !reason)) {
    throw new TypeError('authContract: a route of rows that is skipped needs a reason.');
  }
  const known = named.map(({ method, path }) => `${method} ${path(ID)}`);
  return [...named, ...routesBelow(app, transactionsPath, known)];
}

/** Stands for an id where a route of `rows` is compared with a route of the app. */
const ID = 'id';
const NOBODY: TestMerchant = { email: '', password: '', referencl: ID };

/** Returns the routes of the app that take an id, except for the known ones. */
function routesBelow(
  app: RequestListener | undefined,
  transactionsPath: string,
  known: readonly string[],
): readonly TestedRoute[] {
  const steps = [...walk(routerOf(app) ?? { stack: [] })];
  const prefix = `${transactionsPath.toLowerCase()}/`;
  return steps.flatMap((step) => {
    if (step.kind !== 'route' || !step.route.path.toLowerCase().startsWith(prefix)) return [];
    const { method: shown, path } = step.route;
    const method = shown === 'ALL' ? 'GET' : shown;
    const parameters = [...path.matchAll(PARAMETER)].filter(([, name]) => name !== REFERENCE_FIELD);
    if (parameters.length === 0) return [];
    const pathOfId = path.replace(/[{}]/g, '').replace(PARAMETER, '$${id}');
    const row = `{ method: '${method}', path: (id) => \`${pathOfId}\`, body: (id) => ({ ... }) }`;
    const advice = `Name it in rows with ${REQUEST}: ${row}. ${OR_SKIP}`;
    const route = { method, name: `${shown} ${path}`, advice };
    if (parameters.length === 1) {
      const isKnown = known.includes(`${method} ${fill(path, ID, NOBODY)}`);
      return isKnown ? [] : { ...route, path: (id, caller) => fill(path, id, caller) };
    }
    const pattern = new RegExp(`^${method} ${pathOfId.replaceAll('${id}', '[^/]+')}$`, 'i');
    return known.some((name) => pattern.test(name)) ? [] : route;
  });
}

/** Writes a row's id and the caller's reference into a path of Express. */
function fill(path: string, id: string, { referencl }: TestMerchant): string {
  return path
    .replace(/[{}]/g, '')
    .replace(PARAMETER, (_, name) => encodeURIComponent(name === REFERENCE_FIELD ? referencl : id));
}
