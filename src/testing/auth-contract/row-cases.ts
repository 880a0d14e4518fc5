import { leaveOutUnless } from '../left-out.js';
import { demand } from '../messages.js';
import { accountsOf } from './accounts.js';
import { type Answer, demandOf, isGood, summaryOf } from './answer.js';
import { rowRoutesOf, type TestedRoute } from './row-routes.js';
import { type Caller, callersOf, createRow, demandEach, wordOf } from './rows.js';
import { unknownIdLike } from './unknown-credentials.js';
import type { HostCases, Visit } from './visit.js';

const CHANGED = 'The request of the other merchant may have changed the row: check the merchant before that.';
const FIND = 'Find the row by its id and by merchantOf(req).referencl, and answer 404 when there is none.';

/** Matches the values that differ in each answer: ids of requests, times, durations and long numbers. */
const CHANGING = /[\da-f]{8}-[\da-f-]{27}|\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d[.\d]*|[\d.]+ ?ms\b|[\da-f]{16,}|\d{10,}/gi;

export const rowCases: HostCases = {
  '5.6 a row of another merchant is answered as one that does not exist': async (visit) => {
    const { host, transactionsPath } = visit;
    const routes = rowRoutesOf(host, transactionsPath, accountsOf(host, transactionsPath).of('covered'));
    const names = routes.map(({ name }) => name).join(', ') || 'no route of the app';
    const [owner, other] = await callersOf(visit, `By id: ${names}.`);
    await demandEach(routes, (route) => checkRoute(route)(visit, owner, other));
    leaveOutUnless(
      routes.length > 0,
      'Name routes with an id in rows to test this: the app has none below the transactions.',
    );
  },
};

type RowFunction = (id: string, referencl: string) => object;

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
    demandControl(await ask(other, await createRow(visit, other)), advice);
    const id = await createRow(visit, owner);
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
  return hasMember(json, referencl) || (referencl.length > 3 && wordOf(referencl).test(text));
}

/** Returns true for parsed JSON with a member, at any depth, that has this value as a text or a number. */
function hasMember(json: unknown, value: string): boolean {
  if (typeof json === 'string' || typeof json === 'number') return String(json) === value;
  return Object.values(json ?? {}).some((member) => hasMember(member, value));
}

/** Returns the body without the id that was asked for, and without values that differ in each answer. */
function withoutChanging({ text, headers }: Answer, id: string): string {
  const requestId = String(headers['x-request-id'] ?? id);
  return [encodeURIComponent(id), id, requestId].reduce(
    (shown, value) => shown.replace(wordOf(value), '...'),
    text.replace(CHANGING, '...'),
  );
}
