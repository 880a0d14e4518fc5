import type { RequestListener } from 'node:http';
import { isApp, routesOf } from '../ask/routes.js';
import { whileServed } from '../ask/while-served.js';
import { checkAccepted, checkArguments, mistake, pathsAt } from './arguments.js';
import { type Callers, createClient } from './client.js';
import { askList, questionLists } from './lists.js';
import { byDepth, isAskable, parametersIn, variantsOf } from './paths.js';
import { createReport, type RowAudit } from './report.js';
import { askRoute } from './routes.js';
import { type List, sideOf } from './side.js';

export interface AuditRowsOptions {
  /** The most ids with which each caller asks a route. Default 20. */
  readonly limit?: number;
}

/**
 * Asks each GET route as two callers, and finds those that show one caller rows of the other: by ids that only one of
 * them is shown, and by queries for more. Sends only GET, at most `60 + 2 * limit` requests for each path. Does not
 * prove that there are no holes. The handlers run: give a host for tests.
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
  return whileServed(target, (baseUrl) => auditAt(baseUrl, paths, callers, options));
}

export async function auditAt(
  url: string,
  paths: readonly (string | RegExp)[],
  callers: Callers,
  { limit = 20 }: AuditRowsOptions,
): Promise<RowAudit> {
  if (paths.length === 0) throw mistake('there is no GET route. Give the app with its routes');
  const client = createClient(new URL(url).origin, callers);
  const report = createReport();
  for (const path of paths) if (!isAskable(path)) report.unclear.add(String(path));
  const routes = [...new Set(paths.filter(isAskable).flatMap(variantsOf))].toSorted(byDepth);
  const [one, other] = callers;
  const lists: List[] = [];
  for (const path of routes.filter((route) => parametersIn(route) === 0)) {
    const [mine, theirs] = [await client.get(path, one), await client.get(path, other)];
    lists.push({ path, mine, theirs, open: await client.get(path) });
    if (mine.isLost || theirs.isLost) report.unclear.add(path);
  }
  const swapped = lists.map(({ mine, theirs, ...list }) => ({ ...list, mine: theirs, theirs: mine }));
  const side = sideOf([one, other], lists, { ...client, ...report });
  const back = sideOf([other, one], swapped, { ...client, ...report });
  [side, back].forEach(checkAccepted);
  for (const current of [side, back]) {
    questionLists(current);
    for (const list of current.lists) await askList(list, current);
  }
  for (const route of routes.slice(lists.length)) {
    await askRoute(route, side, back.rows, limit);
    await askRoute(route, back, side.rows, limit);
    if ([side, back].every(({ rows }) => rows.get(route)?.length === 0)) report.unclear.add(route);
  }
  return report.auditOf(client.asked());
}
