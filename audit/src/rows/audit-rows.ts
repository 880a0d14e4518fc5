import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isApp, routesOf } from '../ask/routes.js';
import { type Callers, checkAccepted, checkArguments, mistake, pathsAt } from './arguments.js';
import { createClient } from './client.js';
import { askList, questionLists } from './lists.js';
import { byDepth, isSafe, parametersIn, variantsOf } from './paths.js';
import { createReport, type RowAudit } from './report.js';
import { askRoute } from './routes.js';
import { type List, type Side, sideOf } from './side.js';

export interface AuditRowsOptions {
  /** The most ids with which each caller asks a route. Default 20. */
  readonly limit?: number;
  /** @internal */
  readonly onRoute?: (done: number, of: number) => void;
}

/**
 * Asks each GET route as two callers, and finds those that show one caller rows of the other: by the ids that only one of
 * them is shown, and by queries for more. It sends only GET, at most `60 + 2 * limit` requests for each path. It finds
 * holes, and does not prove that there are none. The handlers run, so give a host for tests.
 * @param target the Express app, or the address of a host that serves its OpenAPI document at `/openapi.json`
 * @param callers two callers of the same kind, each with rows that the other may not see
 * @throws TypeError for an address that does not answer, and for a caller that is refused everywhere
 */
export async function auditRows(
  target: RequestListener | string,
  callers: Callers,
  options: AuditRowsOptions = {},
): Promise<RowAudit> {
  checkArguments(callers, options);
  if (typeof target === 'string') return auditAt(target, await pathsAt(target, callers), callers, options);
  if (!isApp(target)) throw mistake('give the Express app, as express() returned it, or the address of a running host');
  const paths = routesOf(target).flatMap(({ method, path }) => (/^(?:GET|ALL)$/.test(method) ? path : []));
  const server = createServer(target).listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    return await auditAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, paths, callers, options);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

async function auditAt(
  url: string,
  paths: readonly (string | RegExp)[],
  callers: Callers,
  { limit = 20, onRoute }: AuditRowsOptions,
): Promise<RowAudit> {
  if (paths.length === 0) throw mistake('there is no GET route. Give the app with its routes');
  const client = createClient(new URL(url).origin, callers);
  const isAsked = (path: string | RegExp) => typeof path === 'string' && isSafe(path);
  const routes = [...new Set(paths.filter(isAsked).flatMap((path) => variantsOf(String(path))))].toSorted(byDepth);
  const report = createReport();
  const [one, other] = callers;
  const lists: List[] = [];
  for (const path of routes.filter((route) => parametersIn(route) === 0)) {
    const lost = client.lost();
    const [mine, theirs] = [await client.get(path, one), await client.get(path, other)];
    lists.push({ path, mine, theirs, open: await client.get(path) });
    if (client.lost() > lost) report.unclear.add(path);
  }
  const swapped = lists.map(({ mine, theirs, ...list }) => ({ ...list, mine: theirs, theirs: mine }));
  const shared = { ...client, ...report, limit };
  const side = sideOf([one, other], lists, shared);
  const back = sideOf([other, one], swapped, shared);
  checkAccepted(side);
  checkAccepted(back);
  for (const path of paths) if (!isAsked(path)) report.unclear.add(String(path));
  await askSide(side, back, routes, (done) => onRoute?.(done, 2 * routes.length));
  await askSide(back, side, routes, (done) => onRoute?.(routes.length + done, 2 * routes.length));
  for (const route of routes)
    if (!side.rows.get(route)?.length && !back.rows.get(route)?.length) report.unclear.add(route);
  return report.auditOf(client.asked());
}

async function askSide(
  side: Side,
  back: Side,
  routes: readonly string[],
  onRoute: (done: number) => void,
): Promise<void> {
  questionLists(side);
  for (const [at, route] of routes.entries()) {
    const lost = side.lost();
    const list = side.lists.find(({ path }) => path === route);
    await (list ? askList(list, side) : askRoute(route, side, back.rows));
    if (side.lost() > lost) side.unclear.add(route);
    onRoute(at + 1);
  }
}
