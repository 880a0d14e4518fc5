import { randomUUID } from 'node:crypto';
import { leaveOutUnless } from 'express-merchant-auth/testing';
import { whileServed } from '../ask/while-served.js';
import { auditAt } from '../rows/audit-rows.js';
import { type Answer, CACHE, demandOf, isGood, summaryOf } from './answer.js';
import { type Asking, callersOf, type Row } from './callers.js';
import { demand, demandEach } from './demand.js';
import { leavesOf, objectsIn, scalarsIn, shows, spellingsOf, timesIn } from './differences.js';
import { type HostRoute, writeEntry } from './host-routes.js';
import type { RowValues, TestMerchant } from './host-under-test.js';
import { read } from './row-changes.js';
import type { HostCases, Visit } from './visit.js';

const SELECT = 'Select the rows by merchantOf(req).referencl, and keep no answer in a cache for all callers.';
/** Queries for the first rows of a list, and for those after them. */
const PAGES: readonly RowValues[] = [{}, { page: '2', limit: '1' }, { offset: '1' }];
/** The number of filters that a list is asked with, and of characters in one. */
const [FILTERS, LONGEST] = [60, 200];

/** The owner of new rows and the merchant that may not see them, with the values that only the owner has. */
interface Callers {
  readonly owner: Asking;
  readonly other: Asking;
  readonly values: readonly string[];
}

interface Filter {
  readonly query: RowValues;
  /** The beginning of the path of the rows with this value. */
  readonly of: string;
  /** The number of resources whose rows have this value. */
  readonly times: number;
}

export const listCases: HostCases = {
  '5.6 a list shows a merchant nothing of another': async (visit) => {
    if (visit.host.resources === undefined) return auditLists(visit);
    const [owner, other] = await callersOf(visit);
    const { lists } = visit.found;
    // A list can take the ids of its caller's own rows.
    await other.createEach();
    const made = [...(await owner.createEach())];
    const before = new Map<string, string>();
    for (const route of lists) {
      await askList(owner, route);
      for (const page of PAGES) {
        // A cache has no answer to this query, which some lists refuse.
        const anew = await askList(other, route, { ...page, contract: randomUUID() });
        const { text } = isGood(anew) ? anew : await askList(other, route, page);
        before.set(keyOf(route, page), text);
      }
    }
    made.push(...(await owner.createEach()), owner.referencl, owner.email);
    const ofOther = JSON.stringify(other.rows);
    const callers = { owner, other, values: made.filter((value) => timesIn(ofOther, value) === 0) };
    const filters = await filtersOf(visit, owner);
    await demandEach(lists, async (route) => {
      await checkList(route, callers);
      // The values of many rows, such as those of the owner, come first, and then those of the rows at this path.
      const rank = ({ of, times }: Filter) => times + (route.name.startsWith(of) ? 0.5 : 0);
      const sorted = filters.toSorted((one, two) => rank(two) - rank(one)).slice(0, FILTERS);
      for (const query of [...PAGES, ...sorted.map(({ query: filter }) => filter)]) {
        const earlier = before.get(keyOf(route, query)) ?? before.get(keyOf(route, {})) ?? '';
        await demandNoMore(route, query, earlier, callers);
      }
    });
  },
};

const keyOf = ({ name }: HostRoute, query: RowValues) => `${name} ${JSON.stringify(query)}`;

function askList(caller: Asking, route: HostRoute, query: RowValues = {}): Promise<Answer> {
  return caller.ask(route, { row: Object.assign({}, ...caller.rows.map(({ row }) => row)) as Row, query });
}

/** Demands that an answer to the other merchant has no value of the owner more often than before. */
async function demandNoMore(route: HostRoute, query: RowValues, before: string, { owner, other, values }: Callers) {
  const asked = Object.values(query);
  const askOnce = async () => {
    const answer = await askList(other, route, query);
    const isMore = (value: string) => timesIn(answer.text, value) > timesIn(before, value);
    const shown = isGood(answer) ? values.filter((value) => !asked.includes(value) && isMore(value)) : [];
    return { answer, shown };
  };
  const { answer, shown } = await askOnce();
  // A counter or a time can be a short id by chance, and then not again.
  const again = shown.length > 0 ? (await askOnce()).shown : [];
  const value = shown.find((one) => again.includes(one));
  const what = value === owner.referencl ? 'reference' : value === owner.email ? 'email' : 'id of a new row';
  const filter = asked.length > 0 ? ` with ${String(new URLSearchParams(query as Record<string, string>))}` : '';
  demandHidden(answer, value === undefined, `${route.name}${filter} showed otherMerchant the ${what}`, route);
}

function demandHidden(answer: Answer, isHidden: boolean, problem: string, { name }: HostRoute): void {
  const fix = `${SELECT} If merchants may see them, write ${writeEntry('leaveOut', name)}.`;
  demandOf(answer, isHidden, `${problem} of merchant.`, fix);
}

/** Demands that a list shows both merchants rows, each its own, and that it shows a stranger nothing. */
async function checkList(route: HostRoute, { owner, other }: Callers): Promise<void> {
  const { name } = route;
  const orLeaveOut = `Or write ${writeEntry('leaveOut', name)}.`;
  const hasRow = (answer: Answer, { rows, referencl }: Asking) =>
    rows.some(({ row }) => Object.values(row).some((id) => id !== referencl && shows(answer, String(id))));
  const readAs = async (caller: Asking, stranger: Asking) => {
    const answer = await askList(caller, route);
    const problem = `${name} for ${caller.role} got ${summaryOf(answer)}, so its rows were not seen.`;
    const fix = `Write its query: routes: { '${name}': { query: { ... } } }. ${orLeaveOut}`;
    demandOf(answer, isGood(answer), problem, fix);
    const kept = `${name} showed ${caller.role} the id of a row of ${stranger.role}, and no own row.`;
    demandOf(answer, hasRow(answer, caller) || !hasRow(answer, stranger), kept, SELECT);
    return answer;
  };
  const [ofOwner, ofOther] = [await readAs(owner, other), await readAs(other, owner)];
  demandHidden(ofOther, !hasAccount(ofOther, owner), `${name} showed otherMerchant the account`, route);
  const isOf = ({ resource }: Asking['rows'][number]) => `${resource.read}/:`.startsWith(`${name}/:`);
  const made = owner.rows.findLast(isOf);
  const showsNew = Object.values(made?.row ?? {}).some((value) => timesIn(ofOwner.text, value) > 0);
  const leaves = leavesOf(ofOwner.json);
  const isEmpty = leaves.some(([, leaf]) => Array.isArray(leaf)) && !leaves.some(([path]) => /\b0\b/.test(path));
  // A list can show the new row on a later page.
  const showsOther = made?.resource.read !== name && !isEmpty && (!made || ofOwner.text !== ofOther.text);
  const vain = `${name} shows merchant no row that it has just made, so the test proves nothing.`;
  const give = `Give the resource that makes one: { read: '${name}', create: async (as) => ({ id: ... }) }.`;
  demandOf(ofOwner, showsNew || showsOther, vain, `${give} ${SELECT} ${orLeaveOut}`);
  const open = await owner.ask(route, { row: made?.row ?? {}, isOpen: true });
  demandOf(open, !isGood(open), `${name} without a token got ${summaryOf(open)}.`, CACHE);
}

/** Returns true for the email of an account, and for its id with its reference. Each can be anywhere by chance alone. */
function hasAccount(answer: Answer, { id, email, referencl }: Asking): boolean {
  const isAccount = (one: object) => {
    const hasId = Object.entries(one).some(([name, value]) => /id$/i.test(name) && String(value) === id);
    return hasId && id !== referencl && Object.values(one).includes(referencl);
  };
  return shows(answer, email) || objectsIn(answer.json).some(isAccount);
}

/**
 * Returns filters by the reference, by the values that `create` returned and by the members that `read` shows. The id in an
 * object has the name of the object too, because lists are filtered by `user` and not by `user._id`.
 */
async function filtersOf(visit: Visit, owner: Asking): Promise<readonly Filter[]> {
  const filters = visit.found.sentNames.map((name) => ({ name, value: owner.referencl, of: '' }));
  for (const { resource, row } of new Map(owner.rows.map((made) => [made.resource, made])).values()) {
    const { json } = await read(visit, resource, owner, row);
    const of = resource.read.replace(/\/:.*/, '');
    for (const [path, scalar] of [...Object.entries(row), ...scalarsIn(json)]) {
      const names = path.split('.').filter((part) => !/^\d+$/.test(part));
      const used = /id$/i.test(path) ? names.slice(-2).flatMap(spellingsOf) : names.slice(-1);
      filters.push(...used.map((name) => ({ name, value: String(scalar), of })));
    }
  }
  const timesOf = (value: string) => new Set(filters.filter((one) => one.value === value).map(({ of }) => of)).size;
  const texts = new Map(filters.map((filter) => [`${filter.name}=${filter.value}`, filter]));
  return [...texts]
    .filter(([text]) => text.length <= LONGEST)
    .map(([, { name, value, of }]) => ({ query: { [name]: value }, of, times: timesOf(value) }));
}

/**
 * Asks the lists of a host without `resources`, and the rows that they show, as `auditRows` does.
 * @throws LeftOut without a finding, because no row was made
 */
async function auditLists({ host, found, tokenOf }: Visit): Promise<void> {
  const { app, baseUrl = '', merchant, otherMerchant } = host;
  leaveOutUnless(otherMerchant !== undefined, 'Give otherMerchant to test this.');
  const paths = found.guarded.flatMap(({ method, path }) => (/^(?:GET|ALL)$/.test(method) ? path : []));
  leaveOutUnless(paths.length > 0, 'Give resources to test this.');
  const callerOf = async (name: string, account: TestMerchant) => ({
    name,
    headers: { Authorization: `Bearer ${await tokenOf(account)}` },
  });
  const callers = [await callerOf('merchant', merchant), await callerOf('otherMerchant', otherMerchant)] as const;
  const audit = (url: string) => auditAt(url, paths, callers, {});
  const { asked, findings, questions } = await (app ? whileServed(app, audit) : audit(baseUrl));
  demand(findings.length === 0, findings.map((finding) => `${finding}. ${SELECT}`).join('\n'));
  const add = 'Give resources to test each row, each change, and each list after a new row.';
  leaveOutUnless(
    false,
    [`Asked ${asked} requests as auditRows does, and found nothing. ${add}`, ...questions].join(' '),
  );
}
