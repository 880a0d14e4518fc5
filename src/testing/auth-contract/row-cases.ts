import { AssertionError } from 'node:assert';
import { leaveOutUnless } from '../left-out.js';
import { demand, reasonOf, violation } from '../messages.js';
import { type Answer, demandOf, demandPass, isGood, summaryOf } from './answer.js';
import type { TestMerchant } from './host-under-test.js';
import { rowRoutesOf, type TestedRoute } from './row-routes.js';
import { unknownIdLike } from './unknown-credentials.js';
import type { HostCases, Visit } from './visit.js';

const CHANGED = 'The request of the other merchant may have changed the row: check the merchant before that.';
const FIND = 'Find the row by its id and by merchantOf(req).referencl, and answer 404 when there is none.';

/** Matches the values that differ in each answer: ids of requests, times, durations and long numbers. */
const CHANGING = /[\da-f]{8}-[\da-f-]{27}|\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d[.\d]*|[\d.]+ ?ms\b|[\da-f]{16,}|\d{10,}/gi;

interface Caller extends TestMerchant {
  readonly token: string;
}

export const rowCases: HostCases = {
  '5.6 a row of another merchant is answered as one that does not exist': async (visit) => {
    const { host, transactionsPath } = visit;
    const routes = rowRoutesOf(host, transactionsPath);
    const names = routes.map(({ name }) => name).join(', ') || 'no route of the app';
    leaveOutUnless(host.transactions.idOf !== undefined, `Give transactions.idOf to test this. By id: ${names}.`);
    leaveOutUnless(host.otherMerchant !== undefined, 'Give otherMerchant to test this.');
    const owner = { ...host.merchant, token: await visit.tokenOf(host.merchant) };
    const other = { ...host.otherMerchant, token: await visit.tokenOf(host.otherMerchant) };
    const problems: string[] = [];
    for (const check of [checkList, ...routes.map((route) => checkRoute(route))]) {
      await check(visit, owner, other).catch((error: unknown) => {
        if (!(error instanceof AssertionError)) throw error;
        problems.push(error.message);
      });
    }
    demand(problems.length === 0, problems.join('\n'));
    leaveOutUnless(host.app !== undefined || host.rows !== undefined, 'Give app, or name the routes by id in rows.');
  },
};

type RowFunction = (id: string, referencl: string) => object;

/** A row, and the members that hold its id in an answer. */
interface Row {
  readonly id: string;
  readonly idMembers: ReadonlySet<string>;
}

async function createRow(visit: Visit, { token, referencl }: Caller): Promise<Row> {
  const answer = await visit.transact(token, { referencl });
  demandPass(
    answer,
    'The case needs a transaction of its own for each route, so let transactions.body differ each time.',
  );
  let id: unknown;
  try {
    id = visit.host.transactions.idOf?.(answer.json);
  } catch (cause) {
    throw violation(`transactions.idOf failed on the answer of ${answer.request}: ${reasonOf(cause)}.`, cause);
  }
  const found = (typeof id === 'string' && id !== '') || typeof id === 'number' || typeof id === 'bigint';
  demandOf(answer, found, `transactions.idOf found no id in the answer of ${answer.request}.`, 'Return the id.');
  return { id: String(id), idMembers: new Set(membersWith(answer.json, String(id))) };
}

/** Checks that the list of one merchant has no row of the other. */
async function checkList(visit: Visit, owner: Caller, other: Caller): Promise<void> {
  const { id, idMembers } = await createRow(visit, owner);
  const answer = await visit.transact(other.token, { method: 'GET' });
  if (!isGood(answer)) return;
  demand(
    !holds(answer, owner.referencl) && !membersWith(answer.json, id).some((name) => idMembers.has(name)),
    `${answer.request} shows a row of another merchant. Select the rows by merchantOf(req).referencl.`,
  );
}

function checkRoute(route: TestedRoute) {
  const { name, method, path, body, skip, advice } = route;
  return async (visit: Visit, owner: Caller, other: Caller): Promise<void> => {
    if (skip === true) return;
    demand(path !== undefined, `${name} has several parameters, so it was not tested. ${advice}`);
    const ask = async ({ token, referencl }: Caller, asked: string) => {
      const content = typeof body === 'function' ? (body as RowFunction)(asked, referencl) : body;
      const change = { referencl, method, path: path(asked, referencl) };
      const answer = await visit.transact(token, { ...change, ...(content && { body: content }) });
      demand(answer.status !== 429, `${name} got 429. A limiter refused it: allow more requests in the test.`);
      return answer;
    };
    const demandControl = (answer: Answer, fix: string) =>
      demandOf(
        answer,
        isGood(answer),
        `${name} for the own row got ${summaryOf(answer)}, so the test proves nothing.`,
        fix,
      );
    // A refusal before the handler, for example of the owner's reference in the body, would look like a hidden row.
    demandControl(await ask(other, (await createRow(visit, other)).id), advice);
    const { id } = await createRow(visit, owner);
    const nobodys = unknownIdLike(id);
    const foreign = await ask(other, id);
    const unknown = await ask(other, nobodys);
    const control = await ask(owner, id);
    const demandHidden = (isHidden: boolean, problem: string) =>
      demandOf(foreign, isHidden, `${name} for a row of another merchant got ${summaryOf(foreign)}${problem}`, FIND);
    demandHidden(!isGood(foreign), '.');
    demandHidden(!holds(foreign, owner.referencl), ', with the reference of that merchant.');
    demandHidden(
      foreign.status === unknown.status,
      `, and ${summaryOf(unknown)} for an id that nobody has, which tells that the row exists.`,
    );
    demandHidden(
      withoutChanging(foreign, id) === withoutChanging(unknown, nobodys),
      ' with another body than for an id that nobody has, which tells that the row exists.',
    );
    demandControl(control, control.status === 404 && method !== 'GET' ? `${CHANGED} ${advice}` : advice);
  };
}

/** Returns true for an answer with this reference, alone or as a word of a text. */
function holds({ text, json }: Answer, referencl: string): boolean {
  return membersWith(json, referencl).length > 0 || (referencl.length > 3 && wordOf(referencl).test(text));
}

/** Returns the names of the members, at any depth of parsed JSON, that have this value as a text or a number. */
function membersWith(json: unknown, value: string, name = ''): string[] {
  if (typeof json === 'string' || typeof json === 'number') return String(json) === value ? [name] : [];
  return Object.entries(json ?? {}).flatMap(([key, member]) =>
    membersWith(member, value, Array.isArray(json) ? name : key),
  );
}

/** Returns the body without the id that was asked for, and without values that differ in each answer. */
function withoutChanging({ text, headers }: Answer, id: string): string {
  const requestId = String(headers['x-request-id'] ?? id);
  return [encodeURIComponent(id), id, requestId].reduce(
    (shown, value) => shown.replace(wordOf(value), '...'),
    text.replace(CHANGING, '...'),
  );
}

function wordOf(text: string): RegExp {
  return new RegExp(`(?<![\\w-])${text.replace(/\W/g, '\\$&')}(?![\\w-])`, 'g');
}
