import { randomUUID } from 'node:crypto';
import { type Answer, CACHE, demandOf, isGood, summaryOf } from './answer.js';
import { type Asking, callersOf, type Row } from './callers.js';
import { demandEach } from './demand.js';
import { accountIn, isEmptyList, newIn, scalarsIn, shows, wordOf } from './differences.js';
import { type HostRoute, writeEntry } from './host-routes.js';
import { read } from './row-changes.js';
import type { HostCases, Visit } from './visit.js';

type Pair = readonly [Answer, Answer];

const SELECT = 'Select the rows by merchantOf(req).referencl, and keep no answer in a cache for all callers.';
/** The number of values of one name with which a list is asked. */
const VALUES = 5;

export const listCases: HostCases = {
  '5.6 a list shows a merchant nothing of another': async (visit) => {
    const [owner, other] = await callersOf(visit);
    const { lists } = visit.found;
    // A list can take the ids of its caller's own rows.
    await other.createEach();
    const before = new Map<HostRoute, Pair>();
    /** Demands that an answer to the other merchant has none of these values in a row that is not in an earlier answer. */
    const demandNothing = (
      { name }: HostRoute,
      answer: Answer,
      values: readonly string[],
      earlier: Pair,
      filter = '',
    ) => {
      const shown = values.find((value) => earlier.every(isGood) && newIn(answer, value, earlier));
      const account = accountIn(answer, owner);
      const ofRow = `${shown === owner.referencl ? 'reference' : 'id'} of a row that ${owner.role} had just made`;
      demandOf(
        answer,
        shown === undefined && account === undefined,
        `${name}${filter} showed ${other.role} the ${shown === undefined ? `${account} of ${owner.role}` : ofRow}.`,
        `${SELECT} If merchants may see them, write ${writeEntry('leaveOut', name)}.`,
      );
    };
    const made: string[] = [];
    const first = new Map<HostRoute, string>();
    for (let reading = 1; reading <= 2; reading += 1) {
      const values = [...(await owner.createEach()), owner.referencl];
      made.push(...values);
      await demandEach(lists, async (route) => {
        const ofOwner = await readList(route, owner);
        demandRows(route, ofOwner, owner);
        const answer = await readList(route, other);
        const known = before.get(route);
        const earlier = known ?? [await readAnew(route, other), await readAnew(route, other)];
        demandNothing(route, answer, values, earlier);
        demandOwn(route, answer, other, owner);
        demandOwn(route, ofOwner, owner, other);
        // A list that was kept before this case can have ids that are not known.
        const isKept = ofOwner.text === answer.text && ofOwner.text === first.get(route);
        const isOfRows = visit.host.resources?.some(({ read }) => read.startsWith(`${route.name}/:`)) ?? false;
        const same = `${route.name} shows both merchants the same, even after ${owner.role} has made a row.`;
        demandOf(answer, !isKept || !isOfRows, same, SELECT);
        first.set(route, ofOwner.text);
        if (!known) before.set(route, [answer, await readList(route, other)]);
        const open = await owner.ask(route, { row: valuesOf(owner), isOpen: true });
        demandOf(open, !isGood(open), `${route.name} without a token got ${summaryOf(open)}.`, CACHE);
      });
    }
    // A list can take the merchant from a filter.
    const references = visit.found.sentNames.map((name) => [name, owner.referencl] as const);
    const members = (await membersOfRows(visit, owner)).filter(([, value]) => value !== owner.email);
    await demandEach(lists, async (route) => {
      for (const [name, value] of [...references, ...members]) {
        const answer = await other.ask(route, { row: valuesOf(other), query: { [name]: value } });
        const earlier = before.get(route);
        const others = made.filter((one) => one !== String(value));
        const filter = ` with the ${name} of ${owner.role} in the query`;
        if (isGood(answer) && earlier) demandNothing(route, answer, others, earlier, filter);
      }
    });
  },
};

/** Demands that a list shows its caller the row that it has just made, or, without a resource of the list, any row. */
function demandRows({ name }: HostRoute, answer: Answer, { rows, role }: Asking): void {
  const own = rows.findLast(({ resource }) => resource.read === name);
  const isShown = own
    ? Object.values(own.row).some((value) => wordOf(String(value)).test(answer.text))
    : !isEmptyList(answer.json);
  demandOf(
    answer,
    isShown,
    `${name} shows ${role} no row, so the test proves nothing.`,
    `Give the resource that makes one: { read: '${name}', create: async (as) => ({ id: ... }) }. Or write ${writeEntry('leaveOut', name)}.`,
  );
}

/** Demands that a list with rows of another merchant shows rows of its caller too. */
function demandOwn({ name }: HostRoute, answer: Answer, caller: Asking, from: Asking): void {
  const has = ({ rows, referencl }: Asking) =>
    rows.some(({ row }) => Object.values(row).some((id) => id !== referencl && shows(answer, String(id))));
  const problem = `${name} showed ${caller.role} the id of a row of ${from.role}, and no own row.`;
  demandOf(answer, has(caller) || !has(from), problem, SELECT);
}

/**
 * Returns the values that `create` returned and the members that `read` shows, for a row of each resource. The id in an
 * object has the name of the object too, because lists are filtered by `user` and not by `user._id`.
 */
async function membersOfRows({ found, host }: Visit, caller: Asking) {
  const members = new Map<string, Set<string | number>>();
  for (const resource of host.resources ?? []) {
    const row = caller.rows.findLast((one) => one.resource === resource)?.row ?? {};
    const { json } = await read(found, found.readerOf(resource), caller, row, resource);
    for (const [path, value] of [...Object.entries(row), ...scalarsIn(json)]) {
      const [name = '', outer = ''] = path.split('.').reverse();
      for (const one of /id$/i.test(name) && outer !== '' ? [name, outer] : [name]) {
        const values = members.get(one) ?? new Set();
        if (values.size < VALUES) members.set(one, values.add(value));
      }
    }
  }
  return [...members].flatMap(([name, values]) => [...values].map((value) => [name, value] as const));
}

function valuesOf({ rows }: Asking): Row {
  return Object.assign({}, ...rows.map(({ row }) => row)) as Row;
}

async function readList(route: HostRoute, caller: Asking): Promise<Answer> {
  const answer = await caller.ask(route, { row: valuesOf(caller) });
  demandOf(
    answer,
    isGood(answer),
    `${route.name} for ${caller.role} got ${summaryOf(answer)}, so its rows were not seen.`,
    `Write its query: routes: { '${route.name}': { query: { ... } } }. Or leave it out: ${writeEntry('leaveOut', route.name)}.`,
  );
  return answer;
}

/** Reads a list past a cache. */
function readAnew(route: HostRoute, caller: Asking): Promise<Answer> {
  return caller.ask(route, { row: valuesOf(caller), query: { contract: randomUUID() } });
}
