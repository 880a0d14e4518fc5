import type { RequestListener } from 'node:http';
import { routerOf } from './express-app.js';
import { findingsOf } from './findings.js';
import type { AuditedRoute, BlindSpot, RouteAudit } from './route-audit.js';
import { showTable } from './show-table.js';
import { type Step, walk } from './walk.js';

/**
 * Lists the routes of an Express app (4 or 5), with the guard that every request to each route passes. This line in a
 * test fails if a route can be reached without a guard. List there the findings that you accept.
 *
 *     assert.deepEqual(auditRoutes(app).findings, ['GET /healthz: no guard']);
 *
 * A guard counts for a route when every request to the route passes it first. The guard can be on the route, on its
 * router or on a router above. A guard on a sibling router never counts. Guards are not recognized by their name.
 *
 * The audit sees routers, apps and routes, and cannot see into any other function:
 * - A function that is mounted at a path, or alone in a router, is `blind`. After a guard it is not a finding.
 * - An app of another framework is `blind`, and so is a router whose path is unknown (router before 2.3).
 * - A function that is mounted without a path, for example `cors()`, counts as middleware that does not answer.
 * - A parameter callback, and a function of a route before its guard, count as such middleware too.
 * - A body parser is known by its name, as `express.json()` makes it, but its options cannot be seen.
 * - An error handler is skipped.
 *
 * No handler of the host runs.
 * @throws TypeError for a value that is not an Express app
 */
export function auditRoutes(app: RequestListener): RouteAudit {
  const router = routerOf(app);
  if (!router) throw new TypeError('auditRoutes: give the Express app, as express() returned it.');
  // A parser is named once, and not for each route behind it.
  return new Audit([...new Set(walk(router))]);
}

class Audit implements RouteAudit {
  readonly routes: readonly AuditedRoute[];
  readonly blind: readonly BlindSpot[];
  readonly findings: readonly string[];
  readonly #text: string;

  constructor(steps: readonly Step[]) {
    const findings = findingsOf(steps);
    this.routes = steps.flatMap((step) => (step.kind === 'route' ? step.route : []));
    this.blind = steps.flatMap((step) => (step.kind === 'blind' ? step.spot : []));
    this.findings = findings.map(({ text }) => text);
    const middleware = new Set(steps.flatMap((step) => (step.kind === 'middleware' ? step.handler : [])));
    this.#text = [
      showTable(this.routes),
      ...findings.map(({ text, fix }) => `${text}. ${fix}`),
      ...(middleware.size > 0 ? [`Taken for middleware, because it has no path: ${[...middleware].join(', ')}.`] : []),
    ].join('\n');
  }

  toString(): string {
    return this.#text;
  }
}
