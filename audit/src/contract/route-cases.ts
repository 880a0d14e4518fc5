import { leaveOutUnless } from 'express-merchant-auth/testing';
import { demand, demandEach, demandOf, summaryOf } from './answer.js';
import { FOREIGN, isOpen } from './asked-host.js';
import { callerOf } from './callers.js';
import { type HostRoute, methodsOf, resourceOf } from './host-routes.js';
import { entryFor, writeEntry } from './paths.js';
import type { HostCases } from './visit.js';

const NO_APP = 'Give app to test this.';
const NOT_DEMANDED =
  'Mount requireOwnReference() on this route, because no check before it sees and refuses the path parameter. Where a framework makes the routes,';
const NOT_CHECKED =
  'Leave reference of the guard at "own". With "unchecked", mount requireOwnReference() on this route, after its parser.';
const TWICE =
  'Express shows a handler only the last of them. Leave one in the path, and mount requireOwnReference() on the route.';
const NO_ROUTE =
  'No route behind a guard was found in app, so nothing was tested. Give the Express app after its routes are mounted (NestJS: after await app.init()). For another app, give baseUrl, and name its routes in routes.';
const EACH = 'each route behind a guard is covered, swept, refused or left out';

export const routeCases: HostCases = {
  'no route is reached without a token': async ({ found, host }) => {
    leaveOutUnless(found.isWalked, NO_APP);
    await demandEach(found.asked, (route) => {
      const { method, path, verdict, by, status, request } = route;
      const name = `${method} ${path}`;
      const how = isOpen(route)
        ? `is reached without a token by ${request}${verdict === 'open' ? '' : `, with what ${by} wants`}`
        : `got ${status} of ${by || 'no function'} without a token, in place of 401`;
      demand(
        (!isOpen(route) && verdict !== 'unclear') || entryFor(host.open, name) !== undefined,
        `${name} ${how}. Mount requireBearer({ userStore }) before it. If callers need no token, write ${writeEntry('open', name)}.`,
      );
    });
  },
  '5.6 no route behind a guard is reached with the reference of another merchant': async ({
    found,
    sendAs,
    tokenOf,
  }) => {
    const { isWalked, guarded, referenceNames, paths } = found;
    const ofReference = guarded.filter(({ path }) => paths.referencesIn(path).length > 0);
    leaveOutUnless(isWalked || ofReference.length > 0, NO_APP);
    const token = await tokenOf();
    await demandEach(
      isWalked ? guarded : ofReference,
      async ({ name, method, path, takesForeignPath, isUnchecked }) => {
        const [first = '', ...more] = paths.referencesIn(path);
        demand(!more.includes(first), `${name}: ${first} twice in the path. ${TWICE}`);
        const above = path.slice(0, path.indexOf(first) + first.length);
        const mount = `${NOT_DEMANDED} write app.use('${above}', requireOwnReference()) before them.`;
        demand(first === '' || !takesForeignPath, `${name}: ${first} not demanded. ${mount}`);
        demand(!isUnchecked, `${name}: ${referenceNames.join(', ')} not checked. ${NOT_CHECKED}`);
        if (isWalked) return;
        const answer = await sendAs(token, method, paths.fill(path, [], FOREIGN));
        const problem = `${answer.request} got ${summaryOf(answer)} in place of 403 foreign_reference.`;
        demandOf(answer, answer.status === 403, problem, 'Mount requireOwnReference() on the route.');
      },
    );
  },
  [EACH]: async (visit) => {
    const { isWalked, routes, untested, paths } = visit.found;
    const { resources, merchant } = visit.host;
    const guarded = routes.filter(({ isGuarded }) => isGuarded);
    const list = guarded.map(({ name }) => name).join(', ');
    const ofRow = guarded.find(({ method, parameters }) => method === 'GET' && parameters.length > 0);
    const give = `Give resources${ofRow ? `: [${resourceOf(ofRow)}]` : ''}`;
    demand(
      resources !== undefined,
      `No row of a merchant is tested, because resources is missing. Behind a guard: ${list}. ${give}, or write ${writeEntry('leaveOut', EACH)}.`,
    );
    demand(list !== '', NO_ROUTE);
    // The cases on rows and lists repeat the requests that make rows.
    const caller = await callerOf(visit, merchant);
    await caller.createEach();
    const isSent = ({ method, path, parameters }: HostRoute) =>
      parameters.length === 0 && caller.sent.some((one) => one.method === method && paths.isPathOf(one.path, path));
    await demandEach(untested, (route) => {
      demand(isSent(route), `${route.name} is behind a guard, and nothing tests it. ${adviceFor(route)}`);
    });
    leaveOutUnless(isWalked, `Only these routes were tested, because no app was given to look for others: ${list}.`);
  },
  'a refused route is closed to each merchant': async (visit) => {
    const { merchant, otherMerchant } = visit.host;
    const { isWalked, routes, refused } = visit.found;
    const isUnknown = (key: string) => routes.every(({ name }) => entryFor({ [key]: key }, name) === undefined);
    const [unknown] = Object.keys(visit.host.refused ?? {}).filter((key) => isWalked && isUnknown(key));
    demand(unknown === undefined, `refused has "${unknown}", which is not a route of this host.`);
    leaveOutUnless(refused.length > 0, 'Name routes that no merchant may use in refused to test this.');
    const callers = [await callerOf(visit, merchant)];
    if (otherMerchant) callers.push(await callerOf(visit, otherMerchant));
    for (const caller of callers) await caller.createEach();
    // An open route answers 404 for an id that nobody has.
    const rows = [{ id: '1' }, ...callers.flatMap((caller) => caller.rows.map(({ row }) => row))];
    await demandEach(refused.flatMap(methodsOf), async (route) => {
      for (const caller of callers) {
        for (const row of rows) {
          const answer = await caller.ask(route, { row });
          const got = `${route.title} got ${summaryOf(answer)} for ${caller.role} in place of 401, 403 or 404`;
          const fix = 'Check on the server that the caller is an operator.';
          const isRefused = [401, 403, 404].includes(answer.status);
          demandOf(answer, isRefused, `${got}, although refused names it.`, fix);
        }
      }
    });
  },
};

function adviceFor(route: HostRoute): string {
  const { name, parameters } = route;
  const cover =
    parameters.length > 0
      ? `give its resource: ${resourceOf(route)}`
      : `write routes: { '${name}': { body: ({ id }) => ({ ... }) } }. If it makes one, let create of a resource send it. If it is a list, give its body without a function`;
  return `If it takes the id of a row, ${cover}. If no merchant may use it, write ${writeEntry('refused', name)}. Otherwise write ${writeEntry('leaveOut', name)}.`;
}
