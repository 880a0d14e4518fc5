import type { RequestListener } from 'node:http';
import { findingsOf } from './findings.js';
import type { AuditedRoute, RouteAudit } from './route-audit.js';
import { type Step, walkApp } from './walk.js';

const HEADER = ['METHOD', 'PATH', 'GUARD', 'ACCOUNT', 'REFERENCE'];

/**
 * Lists the routes of an Express app (4 or 5), with the guard that every request to each route passes. This line in a
 * test fails if a route can be reached without a guard. List there the findings that you accept.
 *
 *     assert.deepEqual(auditRoutes(app).findings, ['GET /healthz: no guard']);
 *
 * A guard counts for a route when every request to the route passes it first: on the route, on its router or on a router
 * above. The audit sees routers, apps and routes, and not into any other function. One that is mounted at a path, or alone
 * in a router, is `blind`, and so is a sub-app that `apps` does not name. One without a path, for example `cors()`, counts
 * as middleware that does not answer. No handler of the host runs.
 * @param options.apps the sub-apps that the app mounts, and theirs. Default: none
 * @throws TypeError for a value that is not an Express app
 */
export function auditRoutes(app: RequestListener, options: { apps?: readonly RequestListener[] } = {}): RouteAudit {
  const [unknown] = Object.keys(options).filter((name) => name !== 'apps');
  if (unknown !== undefined) throw new TypeError(`auditRoutes: unknown option "${unknown}". Known options: apps.`);
  const steps = walkApp(app, options.apps);
  if (!steps) throw new TypeError('auditRoutes: give the Express app, as express() returned it.');
  // A parser is named once, and not for each route behind it.
  return auditOf([...new Set(steps)]);
}

function auditOf(steps: readonly Step[]): RouteAudit {
  const routes = steps.flatMap((step) => (step.kind === 'route' ? step.route : []));
  const findings = findingsOf(steps);
  const named = (kind: 'middleware' | 'copied', text: string) => {
    const names = new Set(steps.flatMap((step) => (step.kind === kind ? step.handler : [])));
    return names.size > 0 ? [`${text}: ${[...names].join(', ')}.`] : [];
  };
  const text = [
    showTable(routes),
    ...findings.map((finding) => `${finding.text}. ${finding.fix}`),
    ...named('middleware', 'Taken for middleware, because it has no path'),
    ...named('copied', 'A package wraps each handler, so the name and a copied property had to show'),
  ].join('\n');
  return {
    routes,
    blind: steps.flatMap((step) => (step.kind === 'blind' ? step.spot : [])),
    findings: findings.map((finding) => finding.text),
    toString: () => text,
  };
}

function showTable(routes: readonly AuditedRoute[]): string {
  const rows = routes.map(({ method, path, guard, account, reference }) => {
    return [method, path, guard, account ? 'yes' : 'no', reference];
  });
  const table = [HEADER, ...rows];
  const widths = HEADER.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const showRow = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return table.map((row) => showRow(row).trimEnd()).join('\n');
}
