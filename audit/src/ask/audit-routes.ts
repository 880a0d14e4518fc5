import type { RequestListener } from 'node:http';
import { askRoutes } from './ask-routes.js';
import { findingsOf } from './findings.js';
import { isApp } from './routes.js';
import type { AuditedRoute } from './row.js';

/** The routes and their answers to a caller without a token. `String(audit)` is a table with every finding. */
export interface RouteAudit {
  readonly routes: readonly AuditedRoute[];
  /** Each needs a fix or a decision, the worst first. A test can expect the texts: they are stable. */
  readonly findings: readonly string[];
  toString(): string;
}

export interface AuditRoutesOptions {
  /** Headers of every request, for example a common API key. Default: none */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The handlers that run too, to see if they refuse, where nothing before them did: none, those of GET, or all, which
   * write. Default: `none`
   */
  readonly runs?: 'none' | 'get' | 'all';
  /** The longest wait for an answer, in milliseconds. Default: 2000 */
  readonly timeoutMs?: number;
}

const OPTIONS = ['headers', 'runs', 'timeoutMs'];
const HEADER = ['METHOD', 'PATH', 'VERDICT', 'STATUS', 'BY', 'ACCOUNT', 'REFERENCE'];

/**
 * Asks each route of an Express app (4 or 5) without a token, and lists those that do not refuse. Any authentication
 * will do. The app is served on loopback. No handler of a route runs, but all middleware does: give a host for tests.
 *
 *     assert.deepEqual((await auditRoutes(app)).findings, ['GET /healthz: open']);
 *
 * Refused means refused in all shapes of the path that were tried. Calls wait for each other.
 * @throws TypeError (as a rejection) for a value that is not an Express app, and for an unknown option
 */
export async function auditRoutes(app: RequestListener, options: AuditRoutesOptions = {}): Promise<RouteAudit> {
  if (!isApp(app)) throw new TypeError('auditRoutes: give the Express app, as express() returned it.');
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined)
    throw new TypeError(`auditRoutes: unknown option "${unknown}". Known options: ${OPTIONS.join(', ')}.`);
  const { runs = 'none', timeoutMs = 2_000 } = options;
  if (!['none', 'get', 'all'].includes(runs)) throw new TypeError("auditRoutes: runs is 'none', 'get' or 'all'.");
  if (!(timeoutMs > 0)) throw new TypeError('auditRoutes: timeoutMs is a positive number of milliseconds.');
  const { routes: asked } = await askRoutes(app, options);
  const findings = findingsOf(asked);
  const routes = asked.map(
    ({ isShape: _a, early: _b, handler: _c, refuser: _d, ranTo: _e, route: _f, ...row }): AuditedRoute => row,
  );
  const text = [showTable(routes), ...findings.map((one) => `${one.text}. ${one.fix}`)].join('\n');
  return { routes, findings: findings.map((one) => one.text), toString: () => text };
}

function showTable(routes: readonly AuditedRoute[]): string {
  const rows = routes.map(({ method, path, verdict, status, by, account, reference = '' }) => {
    const checked = account === undefined ? '' : account ? 'yes' : 'no';
    return [method, path, verdict, status === 0 ? '' : String(status), by, checked, reference];
  });
  const table = [HEADER, ...rows];
  const widths = HEADER.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const showRow = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return table.map((row) => showRow(row).trimEnd()).join('\n');
}
