import { leaveOutUnless } from 'express-merchant-auth/testing';
import { demandRefusal } from './answer.js';
import { FOREIGN, isOpen, nameLike } from './asked-host.js';
import { demandEach, demandNone } from './demand.js';
import { entryFor, type HostRoute, writeEntry } from './host-routes.js';
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

export const askedCases: HostCases = {
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
