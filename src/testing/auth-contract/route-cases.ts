import { REFERENCE_FIELD } from '../../ownership/references.js';
import { leaveOutUnless } from '../left-out.js';
import { demand } from '../messages.js';
import { accountsOf } from './accounts.js';
import { type Answer, demandOf, isGood, summaryOf } from './answer.js';
import { entryFor, type HostRoute } from './host-routes.js';
import { newIn } from './new-in.js';
import { fill } from './row-routes.js';
import { type Caller, callersOf, createRow, demandEach } from './rows.js';
import { BODILESS, type HostCases, type Visit } from './visit.js';

const SWEEP_LIMIT_MS = 5_000;
/** The methods that stand for `ALL`. */
const METHODS_OF_ALL = ['GET', 'PUT', 'PATCH', 'DELETE'];

const NO_ROUTE =
  'The walk found no route behind a guard in app, so nothing was tested. Give the Express app after its routes are mounted ' +
  '(NestJS: after await app.init()). For another app, give baseUrl, and name its routes in routes.';

export const routeCases: HostCases = {
  'each route behind a guard is covered, swept, refused or left out': ({ host, transactionsPath }) => {
    const { isWalked, all, of, hidden } = accountsOf(host, transactionsPath);
    const list = all.join(', ') || 'no route';
    const hasRows = host.transactions.idOf !== undefined || host.rows !== undefined;
    leaveOutUnless(hasRows, `Give transactions.idOf to test this. Behind a guard: ${list}.`);
    leaveOutUnless(isWalked || all.length > 0, 'Name the routes in routes to test this, because there is no app.');
    const problems = [
      ...(all.length > 0 ? [] : [NO_ROUTE]),
      ...of('nothing').map(({ name }) => `${name} is behind a guard, and nothing tests it. ${adviceFor(name)}`),
      ...hidden.map(({ name, advice }) => `${name}: cannot be walked. ${advice} Or write ${entry('leaveOut', name)}.`),
    ];
    demand(problems.length === 0, problems.join('\n'));
    leaveOutUnless(isWalked, `Nobody looked for routes other than those in routes, because there is no app: ${list}.`);
    return Promise.resolve();
  },
  '5.6 a list shows a merchant nothing of another': async (visit) => {
    const lists = accountsOf(visit.host, visit.transactionsPath).of('swept');
    const names = lists.map(({ name }) => name).join(', ') || 'no route of the app';
    const [owner, other] = await callersOf(visit, `Without an id: ${names}.`);
    const before = new Map<HostRoute, Answer>();
    await demandEach(lists, async (route) => {
      await readList(visit, route, owner);
      before.set(route, await readList(visit, route, other));
    });
    const id = await createRow(visit, owner);
    await demandEach(lists, async (route) => {
      await readList(visit, route, owner);
      const after = await readList(visit, route, other);
      const shown = [owner.referencl, id].find((value) => newIn(after, before.get(route), value));
      demandOf(
        after,
        shown === undefined,
        `${route.name} showed ${other.referencl} the ${shown === id ? 'id' : 'reference'} of a row that ${owner.referencl} had just made.`,
        'Select the rows by merchantOf(req).referencl.',
      );
    });
  },
  'a refused route is closed to each merchant': async (visit) => {
    const { host } = visit;
    const routes = accountsOf(host, visit.transactionsPath).of('refused');
    leaveOutUnless(routes.length > 0, 'Name routes that no merchant may use in refused to test this.');
    const [merchant, ...others] = [host.merchant, ...(host.otherMerchant ? [host.otherMerchant] : [])];
    const owner = { ...merchant, token: await visit.tokenOf(merchant) };
    // An open route answers 404 for an id that nobody has.
    const id = host.transactions.idOf === undefined ? '1' : await createRow(visit, owner);
    for (const account of [owner, ...others]) {
      const caller = { ...account, token: await visit.tokenOf(account) };
      await demandEach(routes, async (route) => {
        for (const method of route.method === 'ALL' ? METHODS_OF_ALL : [route.method]) {
          const answer = await ask(visit, { ...route, method }, caller, id);
          demandOf(
            answer,
            [401, 403, 404].includes(answer.status),
            `${route.name} got ${summaryOf(answer)} for ${caller.referencl} in place of 401, 403 or 404, although refused names it.`,
            'Check on the server that the caller is no merchant.',
          );
        }
      });
    }
  },
};

function entry(member: 'leaveOut' | 'refused', name: string): string {
  return `${member}: { '${name}': 'the reason' }`;
}

function adviceFor(name: string): string {
  return (
    `If it takes the id of a row, name it in rows. If no merchant may use it, write ${entry('refused', name)}. ` +
    `Otherwise write ${entry('leaveOut', name)}.`
  );
}

async function readList(visit: Visit, route: HostRoute, caller: Caller): Promise<Answer> {
  const answer = await ask(visit, route, caller, '');
  demandOf(
    answer,
    isGood(answer),
    `${route.name} for ${caller.referencl} got ${summaryOf(answer)}, so its rows were not seen.`,
    `Write its query: routes: { '${route.name}': { query: { ... } } }. Or leave it out: ${entry('leaveOut', route.name)}.`,
  );
  return answer;
}

/** Sends the request of a route, with what the host says that the route needs. */
function ask(visit: Visit, route: HostRoute, { token, referencl }: Caller, id: string): Promise<Answer> {
  const { query, headers = {}, body } = entryFor(visit.host.routes, route.name) ?? {};
  const reference = route.isDemanded && BODILESS.test(route.method) ? { [REFERENCE_FIELD]: referencl } : {};
  const text = String(new URLSearchParams({ ...reference, ...query }));
  return visit.transact(token, {
    referencl,
    method: route.method,
    path: fill(route.path.replace(/[{}]/g, ''), id, referencl),
    query: text && `?${text}`,
    headers: Object.entries(headers),
    limitMs: SWEEP_LIMIT_MS,
    ...(body && { body }),
  });
}
