import { randomUUID } from 'node:crypto';
import { leaveOutUnless } from 'express-merchant-auth/testing';
import { whileServed } from '../ask/while-served.js';
import { auditAt } from '../rows/audit-rows.js';
import { type Answer, demand, demandEach, demandOf, demandSteadily, isGood, summaryOf } from './answer.js';
import { type Asking, callersOf, type Row, secretsOf } from './callers.js';
import type { HostRoute } from './host-routes.js';
import type { RowValues, TestMerchant } from './host-under-test.js';
import { leavesOf, shows, timesIn } from './json.js';
import { writeEntry } from './paths.js';
import { FIND, membersOf } from './row-changes.js';
import type { HostCases, Visit } from './visit.js';

const SELECT = 'Select the rows by merchantOf(req).referencl, and keep no answer in a cache for all callers.';
/** Queries for the first rows of a list, and for those after them. */
const PAGES: readonly RowValues[] = [{}, { page: '2', limit: '1' }, { offset: '1' }];
/** The number of filters that a list is asked with, and of characters in one. */
const [FILTERS, LONGEST] = [60, 200];

export const listCases: HostCases = {
  '5.6 a list shows a merchant nothing of another': async (visit, pauses) => {
    if (visit.host.resources === undefined) return auditLists(visit);
    const { owner, other } = await callersOf(visit);
    const { lists } = visit.found;
    const filters = await filtersOf(visit, owner, other);
    // A list can take the ids of its caller's own rows.
    for (const caller of [other, owner]) await caller.createEach();
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
    await owner.createEach();
    const values = secretsOf(owner, other);
    await demandEach(lists, async (route) => {
      await checkList(route, owner, other);
      for (const query of [...PAGES, ...filters]) {
        const earlier = before.get(keyOf(route, query)) ?? before.get(keyOf(route, {})) ?? '';
        await demandSteadily(pauses, () => demandNoMore(route, query, earlier));
      }
    });

    /** Demands that an answer to the other merchant has no email, and no other value of the owner more often than before. */
    async function demandNoMore(route: HostRoute, query: RowValues, earlier: string): Promise<void> {
      const answer = await askList(other, route, query);
      const asked = Object.values(query);
      const isMore = (value: string) =>
        !asked.includes(value) && timesIn(answer.text, value) > (value === owner.email ? 0 : timesIn(earlier, value));
      const value = isGood(answer) ? values.find(isMore) : undefined;
      const what = value === owner.referencl ? 'reference' : value === owner.email ? 'email' : 'id of a new row';
      const filter = asked.length > 0 ? ` with ${String(new URLSearchParams(query as Record<string, string>))}` : '';
      const problem = `${route.name}${filter} showed otherMerchant the ${what} of merchant.`;
      const fix = `${SELECT} If merchants may see them, write ${writeEntry('leaveOut', route.name)}.`;
      demandOf(answer, value === undefined, problem, fix);
    }
  },
};

const keyOf = ({ name }: HostRoute, query: RowValues) => JSON.stringify([name, query]);

function askList(caller: Asking, route: HostRoute, query: RowValues = {}): Promise<Answer> {
  return caller.ask(route, { row: Object.assign({}, ...caller.rows.map(({ row }) => row)) as Row, query });
}

/** Demands that a list shows both merchants rows, each its own, and that it shows a stranger nothing. */
async function checkList(route: HostRoute, owner: Asking, other: Asking): Promise<void> {
  const { name } = route;
  const orLeaveOut = `Or write ${writeEntry('leaveOut', name)}.`;
  const readAs = async (caller: Asking, stranger: Asking) => {
    const answer = await askList(caller, route);
    const fix = `Write its query: routes: { '${name}': { query: { ... } } }. ${orLeaveOut}`;
    const got = `${name} for ${caller.role} got ${summaryOf(answer)}, so its rows were not seen.`;
    demandOf(answer, isGood(answer), got, fix);
    const hasRow = ({ rows, referencl }: Asking) =>
      rows.some(({ row }) => Object.values(row).some((id) => id !== referencl && shows(answer, String(id))));
    const kept = `${name} showed ${caller.role} the id of a row of ${stranger.role}, and no own row.`;
    demandOf(answer, hasRow(caller) || !hasRow(stranger), kept, SELECT);
    return answer;
  };
  const [ofOwner, ofOther] = [await readAs(owner, other), await readAs(other, owner)];
  const made = owner.rows.findLast(({ resource }) => `${resource.read}/:`.startsWith(`${name}/:`));
  const showsNew = Object.values(made?.row ?? {}).some((value) => timesIn(ofOwner.text, value) > 0);
  const leaves = leavesOf(ofOwner.json);
  const isEmpty = leaves.some(([, leaf]) => Array.isArray(leaf)) && !leaves.some(([path]) => /\b0\b/.test(path));
  // A list can show the new row on a later page.
  const showsOther = made?.resource.read !== name && !isEmpty && (!made || ofOwner.text !== ofOther.text);
  const vain = `${name} shows merchant no row that it has just made, so the test proves nothing.`;
  const give = `Give the resource that makes one: { read: '${name}', create: async (as) => ({ id: ... }) }.`;
  demandOf(ofOwner, showsNew || showsOther, vain, `${give} ${SELECT} ${orLeaveOut}`);
  const open = await owner.ask(route, { row: made?.row ?? {}, isOpen: true });
  demandOf(open, !isGood(open), `${name} without a token got ${summaryOf(open)}.`, SELECT);
}

/** Returns the members of the owner's rows as filters. Those that tell the owner come first. */
async function filtersOf(visit: Visit, owner: Asking, other: Asking): Promise<readonly RowValues[]> {
  const members = [];
  for (const resource of visit.host.resources ?? []) {
    members.push(...(await membersOf({ visit, resource, owner, other }, owner, other)));
  }
  const sorted = members.toSorted((one, two) => Number(two.tells) - Number(one.tells));
  // Two values of each name: those of one member of many rows would leave no place for the others.
  const byName = new Map<string, Set<string>>();
  for (const { name, value } of sorted) {
    const values = byName.get(name) ?? new Set();
    byName.set(name, values);
    if (values.size < 2 && String(value).length <= LONGEST) values.add(String(value));
  }
  const filters = [...byName].flatMap(([name, values]) => [...values].map((value) => ({ [name]: value })));
  return filters.slice(0, FILTERS);
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
  const headersOf = async (account: TestMerchant) => ({ Authorization: `Bearer ${await tokenOf(account)}` });
  const caller = { name: 'merchant', headers: await headersOf(merchant) };
  const otherCaller = { name: 'otherMerchant', headers: await headersOf(otherMerchant) };
  const audit = (url: string) => auditAt(url, paths, [caller, otherCaller], {});
  const { asked, findings, questions } = await (app ? whileServed(app, audit) : audit(baseUrl));
  const fixFor = (finding: string) => (/^GET \S*[:*]\w/.test(finding) ? FIND : SELECT);
  demand(findings.length === 0, findings.map((finding) => `${finding}. ${fixFor(finding)}`).join('\n'));
  const nothing = `Asked ${asked} requests as auditRows does, and found nothing.`;
  const add = 'Give resources to test each row, each change, and each list after a new row.';
  leaveOutUnless(false, [nothing, add, ...questions].join(' '));
}
