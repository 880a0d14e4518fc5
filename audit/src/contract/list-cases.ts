import { randomUUID } from 'node:crypto';
import { type Answer, CACHE, demandOf, isGood, summaryOf } from './answer.js';
import { type Asking, callersOf, type Row } from './callers.js';
import { demandEach } from './demand.js';
import { accountIn, compareRows, isEmptyList, scalarsIn, shows, wordOf } from './differences.js';
import { type HostRoute, writeEntry } from './host-routes.js';
import type { RowValues } from './host-under-test.js';
import { read } from './row-changes.js';
import type { HostCases, Visit } from './visit.js';

type Pair = readonly [Answer, Answer];

const SELECT = 'Select the rows by merchantOf(req).referencl, and keep no answer in a cache for all callers.';
/** The number of values of one name with which a list is asked. */
const VALUES = 5;
/** The number of filters in one query. With the longest values, a URL is still below the limit of Node.js. */
const TOGETHER = 25;
const LONGEST = 200;
/** Queries for the first rows of a list, and for those after them. */
const PAGES = ['', 'page=2&limit=1', 'offset=1'];

type Filter = readonly [name: string, value: string | number];

export const listCases: HostCases = {
  '5.6 a list shows a merchant nothing of another': async (visit) => {
    const [owner, other] = await callersOf(visit);
    const { lists } = visit.found;
    // A list can take the ids of its caller's own rows.
    await other.createEach();
    const made: string[] = [];
    const askOther = (route: HostRoute, query: RowValues) => other.ask(route, { row: valuesOf(other), query });
    /** Asks past a cache. */
    const askAnew = (route: HostRoute) => askOther(route, { contract: randomUUID() });
    /** Demands that an answer to the other merchant has no value of the owner in a row that is not in an earlier answer. */
    const demandNothing = ({ name }: HostRoute, answer: Answer, earlier: Pair, filter = '', asked: string[] = []) => {
      if (!isGood(answer)) return;
      const added = earlier.every(isGood) ? compareRows(answer, earlier).added : [];
      const values = [...made, owner.referencl];
      const shown = values.find((value) => !asked.includes(value) && added.some((row) => wordOf(value).test(row)));
      const account = accountIn(answer, asked.includes(owner.email) ? { ...owner, email: '' } : owner);
      const ofRow = `${shown === owner.referencl ? 'reference' : 'id'} of a row that ${owner.role} had just made`;
      demandOf(
        answer,
        shown === undefined && account === undefined,
        `${name}${filter} showed ${other.role} the ${shown === undefined ? `${account} of ${owner.role}` : ofRow}.`,
        `${SELECT} If merchants may see them, write ${writeEntry('leaveOut', name)}.`,
      );
    };
    const before = new Map<HostRoute, Pair[]>();
    const first = new Map<HostRoute, string>();
    for (let reading = 1; reading <= 2; reading += 1) {
      made.push(...(await owner.createEach()));
      await demandEach(lists, async (route) => {
        const ofOwner = await readList(route, owner);
        demandRows(route, ofOwner, owner);
        const answer = await readList(route, other);
        const known = before.get(route) ?? [];
        demandNothing(route, answer, known[0] ?? [await askAnew(route), await askAnew(route)]);
        demandOwn(route, answer, other, owner);
        demandOwn(route, ofOwner, owner, other);
        // A list that was kept before this case can have ids that are not known.
        const isKept = ofOwner.text === answer.text && ofOwner.text === first.get(route);
        const isOfRows = visit.host.resources?.some(({ read }) => read.startsWith(`${route.name}/:`)) ?? false;
        const same = `${route.name} shows both merchants the same, even after ${owner.role} has made a row.`;
        demandOf(answer, !isKept || !isOfRows, same, SELECT);
        first.set(route, ofOwner.text);
        for (const [index, page] of PAGES.entries()) {
          const askPage = () => askOther(route, Object.fromEntries(new URLSearchParams(page)));
          const ofPage = await askPage();
          if (known[index]) demandNothing(route, ofPage, known[index], page && ` with ${page}`);
          else before.set(route, [...(before.get(route) ?? []), [ofPage, await askPage()]]);
        }
        const open = await owner.ask(route, { row: valuesOf(owner), isOpen: true });
        demandOf(open, !isGood(open), `${route.name} without a token got ${summaryOf(open)}.`, CACHE);
      });
    }
    /** Asks with all filters, and with each half of those that change the answer, because two can exclude each other. */
    const sweep = async (route: HostRoute, filters: readonly Filter[], earlier: Pair): Promise<void> => {
      const answer = filters.length > TOGETHER ? undefined : await askOther(route, Object.fromEntries(filters));
      if (answer && isGood(answer) && compareRows(answer, earlier).isSame) return;
      const middle = Math.ceil(filters.length / 2);
      for (const half of filters.length > 1 ? [filters.slice(0, middle), filters.slice(middle)] : []) {
        await sweep(route, half, earlier);
      }
      const names = filters.map(([name]) => name).join(' and ');
      const asked = filters.map(([, value]) => String(value));
      if (answer) demandNothing(route, answer, earlier, ` with the ${names} of ${owner.role} in the query`, asked);
    };
    const groups = await filtersOf(visit, owner);
    await demandEach(lists, async (route) => {
      // A link of a list to itself has the query.
      const anew = await askAnew(route);
      const earlier = [await readList(route, other), isGood(anew) ? anew : await readList(route, other)] as const;
      for (const filters of groups) await sweep(route, filters, earlier);
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
 * Returns filters by the reference, by the values that `create` returned and by the members that `read` shows, for a row of
 * each resource. No name is twice in a group. The id in an object has the name of the object too, because lists are
 * filtered by `user` and not by `user._id`.
 */
async function filtersOf({ found, host }: Visit, caller: Asking): Promise<readonly (readonly Filter[])[]> {
  const groups = Array.from({ length: VALUES }, () => new Map<string, string | number>());
  const add = (name: string, value: string | number) =>
    groups.find((group) => (group.get(name) ?? value) === value)?.set(name, value);
  for (const name of found.sentNames) add(name, caller.referencl);
  for (const resource of host.resources ?? []) {
    const row = caller.rows.findLast((one) => one.resource === resource)?.row ?? {};
    const { json } = await read(found, found.readerOf(resource), caller, row, resource);
    for (const [path, value] of [...Object.entries(row), ...scalarsIn(json)]) {
      if (encodeURIComponent(value).length > LONGEST) continue;
      const [name = '', outer = ''] = path.split('.').reverse();
      for (const one of /id$/i.test(name) && outer !== '' ? [name, outer] : [name]) add(one, value);
    }
  }
  return groups.filter(({ size }) => size > 0).map((group) => [...group]);
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
