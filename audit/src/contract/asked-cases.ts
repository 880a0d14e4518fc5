import { leaveOutUnless } from 'express-merchant-auth/testing';
import type { AskedRoute } from '../ask/ask-routes.js';
import { isApp } from '../ask/routes.js';
import { demandRefusal } from './answer.js';
import { askAs, FOREIGN, isNameOf, isOpen } from './asked-host.js';
import { demand, demandEach } from './demand.js';
import { entryFor, writeEntry } from './host-routes.js';
import type { HostCases, Visit } from './visit.js';

/** The places of a reference in a request. */
interface Placing {
  readonly inPath?: () => string;
  readonly inBody?: string;
  readonly inQuery?: string;
}

const NO_APP = 'Give app to test this.';

const CHECK_PATH =
  'Mount requireOwnReference() on the route before its handler, with from for a parameter that is not in referenceNames.';
const NOT_CHECKED =
  'Leave reference of the guard at "own". With "unchecked", mount requireOwnReference() on this route, after its parser.';
const SPELLING =
  'The guard refuses it with 400, because a part of a request that looks like a name of the reference has to be one. Rename ' +
  'the parameter, or add this spelling to referenceNames.';
const TWICE =
  'Express shows a handler only the last of them. Leave one in the path, and mount requireOwnReference() on the route.';

export const askedCases: HostCases = {
  'no route is reached without a token': (visit) => {
    const { isWalked, asked, isLogin } = visit.found;
    leaveOutUnless(isWalked, NO_APP);
    const open = asked.filter((route) => isOpen(route) || route.verdict === 'unclear');
    const problems = open
      .filter((route) => !isLogin(nameOf(route)) && entryFor(visit.host.open, nameOf(route)) === undefined)
      .map(problemOf);
    demand(problems.length === 0, [...new Set(problems)].join('\n'));
    return Promise.resolve();
  },
  '5.6 no route behind a guard is reached with the reference of another merchant': async (visit) => {
    const { isWalked, guarded, referenceNames, paths } = visit.found;
    if (!isWalked) {
      const ofReference = guarded.filter(({ path }) => paths.hasReference(path));
      leaveOutUnless(ofReference.length > 0, NO_APP);
      const token = await visit.tokenOf();
      return demandEach(ofReference, async ({ method, path }) => {
        const answer = await visit.sendAs(token, method, paths.fill(path, [], FOREIGN));
        demandRefusal(answer, 'foreign_reference', CHECK_PATH);
      });
    }
    const reached = reacherOf(visit, await visit.tokenOf());
    const nameIn = isNameOf(referenceNames);
    const routes = guarded.map(({ name, path }) => {
      const parameters = [...path.matchAll(/[:*<]"?(\w+)/g)].map(([, parameter = '']) => parameter);
      const [first] = parameters.filter((one) => referenceNames.includes(one));
      const misspelled = parameters.find((one) => nameIn(one) !== undefined && !referenceNames.includes(one));
      const isTwice = first !== undefined && parameters.indexOf(first) !== parameters.lastIndexOf(first);
      return { name, path, first, misspelled, isTwice };
    });
    const foreign = await reached({ inPath: () => FOREIGN });
    const unchecked = new Set([...(await reached({ inBody: FOREIGN })), ...(await reached({ inQuery: FOREIGN }))]);
    const twice = new Set<string>();
    for (const odd of routes.some(({ isTwice }) => isTwice) ? [0, 1] : []) {
      let count = odd;
      const inPath = () => ((count += 1) % 2 === 0 ? FOREIGN : visit.host.merchant.referencl);
      for (const name of await reached({ inPath })) twice.add(name);
    }
    const problems = routes.flatMap(({ name, path, first, misspelled, isTwice }) => [
      ...(misspelled ? [`${name}: ${misspelled} is another spelling of ${nameIn(misspelled)}. ${SPELLING}`] : []),
      ...(isTwice && twice.has(name)
        ? [`${name}: ${first} twice in the path. ${TWICE}`]
        : first !== undefined && foreign.has(name)
          ? [`${name}: ${first} not demanded. ${demandAt(path, first)}`]
          : unchecked.has(name)
            ? [`${name}: ${referenceNames.join(', ')} not checked. ${NOT_CHECKED}`]
            : []),
    ]);
    demand(problems.length === 0, [...new Set(problems)].join('\n'));
  },
};

const nameOf = ({ method, path }: AskedRoute) => `${method} ${path}`;

function problemOf(route: AskedRoute): string {
  const { verdict, by, status, request, isShape } = route;
  const name = nameOf(route);
  const how = {
    open: isShape ? `is reached without a token by ${request}` : 'is reached without a token',
    openWithInput: `is reached without a token, with what ${by} wants`,
    unclear: `got ${status} of ${by || 'no function'} without a token, in place of 401`,
  }[verdict as 'open'];
  return `${name} ${how}. Mount requireBearer({ userStore }) before it. If callers need no token, write ${writeEntry('open', name)}.`;
}

/** Returns a function that asks each route with a token, and returns the names of those whose handler is reached. */
function reacherOf({ host, found }: Visit, token: string) {
  const { merchant, app } = host;
  const { referenceName, referenceNames } = found;
  return async ({ inPath = () => merchant.referencl, inBody, inQuery }: Placing): Promise<ReadonlySet<string>> => {
    if (!isApp(app)) return new Set();
    const routes = await askAs(app, token, referenceNames, {
      referenceInPath: inPath,
      bodyOf: () => JSON.stringify({ [referenceName]: inBody }),
      query: inQuery === undefined ? '' : `?${String(new URLSearchParams({ [referenceName]: inQuery }))}`,
    });
    const isSent = ({ request }: AskedRoute) => inBody === undefined || request.startsWith('P');
    return new Set(routes.filter((route) => isOpen(route) && isSent(route)).map(nameOf));
  };
}

function demandAt(path: string, name: string): string {
  const [start] = path.split(name);
  return (
    'Mount requireOwnReference() on this route, because no check before it sees and refuses the path parameter. Where a ' +
    `framework makes the routes, write app.use('${start}${name}', requireOwnReference()) before them.`
  );
}
