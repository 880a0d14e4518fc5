import { randomUUID } from 'node:crypto';
import { leaveOutUnless } from '../left-out.js';
import { demand, demandEach } from '../messages.js';
import { accountsOf } from './accounts.js';
import { type Answer, CACHE, demandOf, isGood, summaryOf } from './answer.js';
import { ask, methodsOf } from './ask.js';
import { type Asking, callerOf, callersOf, createRow, type Row } from './callers.js';
import { newIn } from './differences.js';
import { type HostRoute, writeEntry } from './host-routes.js';
import type { TestMerchant } from './host-under-test.js';
import { isPathOf, parametersIn } from './paths.js';
import type { HostCases, Visit } from './visit.js';

const NO_ROUTE =
  'The walk found no route behind a guard in app, so nothing was tested. Give the Express app after its routes are mounted ' +
  '(NestJS: after await app.init()). For another app, give baseUrl, and name its routes in routes.';

export const routeCases: HostCases = {
  'each route behind a guard is covered, swept, refused or left out': async (visit) => {
    const { isWalked, all, untested, hidden } = accountsOf(visit);
    const { resources, merchant } = visit.host;
    const list = all.join(', ') || 'no route';
    leaveOutUnless(resources !== undefined, `Give resources to test this. Behind a guard: ${list}.`);
    // The cases on rows and lists send the requests that make the rows again and again.
    const { sent } = await withRows(visit, merchant);
    const isSent = ({ method, path }: HostRoute) =>
      parametersIn(path).length === 0 && sent.some((one) => one.method === method && isPathOf(one.path, path));
    const problems = [
      ...(all.length > 0 ? [] : [NO_ROUTE]),
      ...untested
        .filter((route) => !isSent(route))
        .map((route) => `${route.name} is behind a guard, and nothing tests it. ${adviceFor(route)}`),
      ...hidden.map(
        ({ name, advice }) => `${name}: cannot be walked. ${advice} Or write ${writeEntry('leaveOut', name)}.`,
      ),
    ];
    demand(problems.length === 0, problems.join('\n'));
    leaveOutUnless(
      isWalked,
      `Only these routes were tested, because no app was given in which to look for others: ${list}.`,
    );
  },
  '5.6 a list shows a merchant nothing of another': async (visit) => {
    const [owner, other] = await callersOf(visit);
    const { lists } = accountsOf(visit);
    // A list can take the ids of its caller's own rows.
    await createRows(visit, other);
    const before = new Map<HostRoute, readonly [Answer, Answer]>();
    const read = (values: readonly string[]) =>
      demandEach(lists, async (route) => {
        await readList(visit, route, owner);
        const answer = await readList(visit, route, other);
        const known = before.get(route);
        const earlier = known ?? [await readAnew(visit, route, other), await readAnew(visit, route, other)];
        const shown = values.find((value) => earlier.every(isGood) && newIn(answer, value, earlier));
        demandOf(
          answer,
          shown === undefined,
          `${route.name} showed ${other.referencl} the ${shown === owner.referencl ? 'reference' : 'id'} of a row that ${owner.referencl} had just made.`,
          'Select the rows by merchantOf(req).referencl, and keep no answer in a cache for all callers. ' +
            `If merchants may see them, write ${writeEntry('leaveOut', route.name)}.`,
        );
        if (!known) before.set(route, [answer, await readList(visit, route, other)]);
        const open = await ask(visit, route, { ...owner, token: undefined }, valuesOf(owner));
        demandOf(open, !isGood(open), `${route.name} without a token got ${summaryOf(open)}.`, CACHE);
      });
    for (let reading = 1; reading <= 2; reading += 1)
      await read([...(await createRows(visit, owner)), owner.referencl]);
  },
  'a refused route is closed to each merchant': async (visit) => {
    const { merchant, otherMerchant } = visit.host;
    const { refused } = accountsOf(visit);
    leaveOutUnless(refused.length > 0, 'Name routes that no merchant may use in refused to test this.');
    const callers = [await withRows(visit, merchant)];
    if (otherMerchant) callers.push(await withRows(visit, otherMerchant));
    // An open route answers 404 for an id that nobody has.
    const rows = [{ id: '1' }, ...callers.flatMap((caller) => caller.rows.map(({ row }) => row))];
    await demandEach(refused.flatMap(methodsOf), async (route) => {
      for (const caller of callers) {
        for (const row of rows) {
          const answer = await ask(visit, route, caller, row);
          demandOf(
            answer,
            [401, 403, 404].includes(answer.status),
            `${route.method} ${route.path} got ${summaryOf(answer)} for ${caller.referencl} in place of 401, 403 or 404, although refused names it.`,
            'Check on the server that the caller is an operator.',
          );
        }
      }
    });
  },
};

/** Makes a row of each resource, and returns the values of all. */
async function createRows(visit: Visit, caller: Asking): Promise<readonly string[]> {
  const values: string[] = [];
  for (const resource of visit.host.resources ?? []) {
    values.push(...Object.values(await createRow(visit, resource, caller)).map(String));
  }
  return values;
}

async function withRows(visit: Visit, merchant: TestMerchant): Promise<Asking> {
  const caller = await callerOf(visit, merchant);
  await createRows(visit, caller);
  return caller;
}

function adviceFor({ name, path }: HostRoute): string {
  const parameters = parametersIn(path);
  const values = parameters.map((parameter) => `${parameter}: ...`).join(', ');
  const cover =
    parameters.length > 0
      ? `give its resource: { read: 'GET ${path}', create: async (as) => ({ ${values} }) }`
      : `write routes: { '${name}': { body: ({ id }) => ({ ... }) } }. If it makes one, let create of a resource send it`;
  return (
    `If it takes the id of a row, ${cover}. If no merchant may use it, write ${writeEntry('refused', name)}. ` +
    `Otherwise write ${writeEntry('leaveOut', name)}.`
  );
}

/** Returns the values of a caller's last rows. */
function valuesOf({ rows }: Asking): Row {
  return Object.assign({}, ...rows.map(({ row }) => row)) as Row;
}

async function readList(visit: Visit, route: HostRoute, caller: Asking): Promise<Answer> {
  const answer = await ask(visit, route, caller, valuesOf(caller));
  demandOf(
    answer,
    isGood(answer),
    `${route.name} for ${caller.referencl} got ${summaryOf(answer)}, so its rows were not seen.`,
    `Write its query: routes: { '${route.name}': { query: { ... } } }. Or leave it out: ${writeEntry('leaveOut', route.name)}.`,
  );
  return answer;
}

/** Reads a list past a cache. */
function readAnew(visit: Visit, route: HostRoute, caller: Asking): Promise<Answer> {
  return ask(visit, route, caller, valuesOf(caller), undefined, { contract: randomUUID() });
}
