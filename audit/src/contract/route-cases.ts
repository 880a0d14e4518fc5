import { leaveOutUnless } from 'express-merchant-auth/testing';
import { demandOf, demandRefusal, summaryOf } from './answer.js';
import { FOREIGN, isOpen, nameLike } from './asked-host.js';
import { type Asking, callerOf } from './callers.js';
import { demand, demandEach, demandNone } from './demand.js';
import { entryFor, type HostRoute, writeEntry } from './host-routes.js';
import type { TestMerchant } from './host-under-test.js';
import type { HostCases, Visit } from './visit.js';

const NO_APP = 'Give app to test this.';
const NOT_DEMANDED =
  'Mount requireOwnReference() on this route, because no check before it sees and refuses the path parameter. Where a framework makes the routes,';
const NOT_CHECKED =
  'Leave reference of the guard at "own". With "unchecked", mount requireOwnReference() on this route, after its parser.';
const SPELLING =
  'The guard refuses it with 400, because a part of a request that looks like a name of the reference has to be one. Rename the parameter, or add this spelling to referenceNames.';
const TWICE =
  'Express shows a handler only the last of them. Leave one in the path, and mount requireOwnReference() on the route.';

const NO_ROUTE =
  'No route behind a guard was found in app, so nothing was tested. Give the Express app after its routes are mounted (NestJS: after await app.init()). For another app, give baseUrl, and name its routes in routes.';

const EACH = 'each route behind a guard is covered, swept, refused or left out';

export const routeCases: HostCases = {
  'no route is reached without a token': ({ found, host }) => {
    leaveOutUnless(found.isWalked, NO_APP);
    const problems = found.asked.flatMap((route) => {
      const { method, path, verdict, by, status, request } = route;
      const name = `${method} ${path}`;
      if ((!isOpen(route) && verdict !== 'unclear') || entryFor(host.open, name) !== undefined) return [];
      const how = isOpen(route)
        ? `is reached without a token by ${request}${verdict === 'open' ? '' : `, with what ${by} wants`}`
        : `got ${status} of ${by || 'no function'} without a token, in place of 401`;
      return `${name} ${how}. Mount requireBearer({ userStore }) before it. If callers need no token, write ${writeEntry('open', name)}.`;
    });
    demandNone(problems);
    return Promise.resolve();
  },
  '5.6 no route behind a guard is reached with the reference of another merchant': async (visit) => {
    const { isWalked, guarded, referenceNames } = visit.found;
    if (!isWalked) return demandByAddress(visit);
    await visit.tokenOf();
    demandNone(guarded.flatMap((route) => problemsOf(route, referenceNames).map((one) => `${route.name}: ${one}`)));
  },
  [EACH]: async (visit) => {
    const { isWalked, routes, untested, paths } = visit.found;
    const { resources, merchant } = visit.host;
    const list = routes.flatMap(({ name, isGuarded }) => (isGuarded ? [name] : [])).join(', ');
    demand(
      resources !== undefined,
      `No row of a merchant is tested, because resources is missing. Behind a guard: ${list}. Give resources, or write ${writeEntry('leaveOut', EACH)}.`,
    );
    demand(list !== '', NO_ROUTE);
    // The cases on rows and lists repeat the requests that make rows.
    const { sent } = await withRows(visit, merchant);
    const isSent = ({ method, path, parameters }: HostRoute) =>
      parameters.length === 0 && sent.some((one) => one.method === method && paths.isPathOf(one.path, path));
    const silent = untested.filter((route) => !isSent(route));
    demandNone(silent.map((route) => `${route.name} is behind a guard, and nothing tests it. ${adviceFor(route)}`));
    leaveOutUnless(isWalked, `Only these routes were tested, because no app was given to look for others: ${list}.`);
  },
  'a refused route is closed to each merchant': async (visit) => {
    const { merchant, otherMerchant } = visit.host;
    const { isWalked, routes, refused } = visit.found;
    const isUnknown = (key: string) => routes.every(({ name }) => entryFor({ [key]: key }, name) === undefined);
    const [unknown] = Object.keys(visit.host.refused ?? {}).filter((key) => isWalked && isUnknown(key));
    demand(unknown === undefined, `refused has "${unknown}", which is not a route of this host.`);
    leaveOutUnless(refused.length > 0, 'Name routes that no merchant may use in refused to test this.');
    const callers = [await withRows(visit, merchant)];
    if (otherMerchant) callers.push(await withRows(visit, otherMerchant));
    // An open route answers 404 for an id that nobody has.
    const rows = [{ id: '1' }, ...callers.flatMap((caller) => caller.rows.map(({ row }) => row))];
    await demandEach(refused, async (route) => {
      for (const caller of callers) {
        for (const row of rows) {
          const answer = await caller.ask(route, { row });
          demandOf(
            answer,
            [401, 403, 404].includes(answer.status),
            `${route.title} got ${summaryOf(answer)} for ${caller.role} in place of 401, 403 or 404, although refused names it.`,
            'Check on the server that the caller is an operator.',
          );
        }
      }
    });
  },
};

async function demandByAddress({ found, host, sendAs, tokenOf }: Visit): Promise<void> {
  const ofReference = found.guarded.filter(({ path }) => found.paths.hasReference(path));
  leaveOutUnless(ofReference.length > 0, NO_APP);
  const token = await tokenOf();
  await demandEach(ofReference, async ({ method, path }) => {
    const answer = await sendAs(token, method, found.paths.fill(path, [], FOREIGN));
    demandRefusal(answer, 'foreign_reference', 'Mount requireOwnReference() on the route.', host.errors === 'own');
  });
}

function problemsOf({ path, takesForeignPath, isUnchecked }: HostRoute, names: readonly string[]): readonly string[] {
  const parameters = [...path.matchAll(/[:*<]"?(\w+)/g)].map(([, parameter = '']) => parameter);
  const [first, ...more] = parameters.filter((one) => names.includes(one));
  const misspelled = parameters.find((one) => one !== first && nameLike(one, names));
  if (first !== undefined && more.includes(first)) return [`${first} twice in the path. ${TWICE}`];
  if (misspelled !== undefined)
    return [`${misspelled} is another spelling of ${nameLike(misspelled, names)}. ${SPELLING}`];
  if (first !== undefined && takesForeignPath) {
    const start = path.slice(0, path.indexOf(first) + first.length);
    return [`${first} not demanded. ${NOT_DEMANDED} write app.use('${start}', requireOwnReference()) before them.`];
  }
  return isUnchecked ? [`${names.join(', ')} not checked. ${NOT_CHECKED}`] : [];
}

async function withRows(visit: Visit, merchant: TestMerchant): Promise<Asking> {
  const caller = await callerOf(visit, merchant);
  await caller.createEach();
  return caller;
}

function adviceFor({ name, path, parameters }: HostRoute): string {
  const values = parameters.map((parameter) => `${parameter}: ...`).join(', ');
  const cover =
    parameters.length > 0
      ? `give its resource: { read: 'GET ${path}', create: async (as) => ({ ${values} }) }`
      : `write routes: { '${name}': { body: ({ id }) => ({ ... }) } }. If it makes one, let create of a resource send it. If it is a list, give its body without a function`;
  return `If it takes the id of a row, ${cover}. If no merchant may use it, write ${writeEntry('refused', name)}. Otherwise write ${writeEntry('leaveOut', name)}.`;
}
