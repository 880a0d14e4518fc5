import { setTimeout } from 'node:timers/promises';
import { leaveOutUnless, Violation } from 'express-merchant-auth/testing';
import { CACHE, demandOf, isGood, summaryOf } from './answer.js';
import { callersOf, type Row, type RowAnswer } from './callers.js';
import { demand, demandEach } from './demand.js';
import { differencesOf, shows } from './differences.js';
import { type HostRoute, writeEntry } from './host-routes.js';
import { demandNoGift, demandNoMove, demandNoParent, FIND, type Question, type Rows, watch } from './row-changes.js';
import { unknownIdLike } from './unknown-ids.js';
import type { HostCases } from './visit.js';

/** After so many rows, both merchants are taken to get the same ids. */
const TRIES = 10;
/** Waits before a row is asked for, and for further ones while rows change by themselves. */
const WAITS_MS = [0, 100, 200];

export const rowCases: HostCases = {
  '5.6 a row of another merchant is answered as one that does not exist': async (visit) => {
    const [owner, other] = await callersOf(visit);
    const { ofRows } = visit.found;
    leaveOutUnless(ofRows.length > 0, 'No route of a resource is behind a guard, so no row was asked for.');
    const unserved = new Set(ofRows.map(({ name }) => name));
    await demandEach(ofRows, async (route) => {
      const questions = await questionsOn(route, { visit, owner, other });
      if (questions.length > 0) unserved.delete(route.name);
      await demandEach(questions, checkRoute);
    });
    demand(unserved.size === 0, `${[...unserved].join()} answers an own row with 404, 405 or 501 to each method.`);
    await demandEach(visit.host.resources ?? [], async (resource) => {
      await demandNoParent({ visit, resource, owner, other });
      await demandNoGift({ visit, resource, owner, other });
    });
  },
};

/** Returns the resources whose own row the route tells from unknown ones, or else the first with a good answer. */
async function questionsOn(route: HostRoute, callers: Omit<Rows, 'resource'>): Promise<readonly Question[]> {
  const { other } = callers;
  const [good, telling]: [Question[], Question[]] = [[], []];
  let control: RowAnswer | undefined;
  for (const resource of route.resources) {
    const row = await other.create(resource);
    const answer = await other.ask(route, { row, resource }).catch((error: unknown) => {
      // The body can be a function of another resource's row.
      if (error instanceof Violation || route.resources.length === 1) throw error;
    });
    if (!answer || answer.names.length === 0) continue;
    control = answer;
    if (!isGood(answer)) continue;
    const question = { ...callers, route, resource, names: answer.names };
    good.push(question);
    if (route.resources.length === 1) continue;
    const { unknown, members } = await compare(question, row, question.names);
    if (unknown.status !== answer.status || members.length > 0) telling.push(question);
  }
  const fix = 'Let create return each parameter of read, or let an entry of routes take these values.';
  demand(control !== undefined, `${route.name} takes no value that create returns. ${fix}`);
  // app.all answers so to a method that it does not serve.
  const isUnserved = route.name.startsWith('ALL ') && [404, 405, 501].includes(control.status);
  if (good.length === 0 && !isUnserved) demandControl(control, route, other.role);
  return telling.length > 0 ? telling : good.slice(0, 1);
}

/** Asks with a row, and with unknown values under these names. */
async function compare({ route, resource, other }: Question, row: Row, names: readonly string[]) {
  const askUnknown = () => {
    const values = names.map((name) => [name, unknownIdLike(row[name] ?? '')] as const);
    return other.ask(route, { row: { ...row, ...Object.fromEntries(values) }, resource });
  };
  // A counter or time that both unknown ids get, the row between them gets too.
  const unknown = await askUnknown();
  const answer = await other.ask(route, { row, resource });
  return { answer, unknown, members: differencesOf([answer, answer], [unknown, await askUnknown()]) };
}

/** A refusal that no row causes would look like a hidden row. */
function demandControl(answer: RowAnswer, { method, name }: HostRoute, role: string): void {
  const got = `${answer.request} of ${role} for its own row got ${summaryOf(answer)}`;
  const part = /GET|DELETE/.test(method) ? 'query' : 'body';
  const fix = `Write what the route needs: routes: { '${name}': { ${part}: { ... } } }. Or leave it out: ${writeEntry('leaveOut', name)}.`;
  demandOf(answer, isGood(answer), `${got}, so the test of ${name} proves nothing.`, fix);
}

async function checkRoute(question: Question): Promise<void> {
  const { route, resource, owner, other } = question;
  const { own, foreign, names } = await demandForeign(question);
  const changes = await watch(question, owner, foreign);
  demandControl(await owner.ask(route, { row: foreign, resource }), route, owner.role);
  if (route.method === 'GET') {
    // The owner's answer can be in a cache now.
    await demandHidden(question, foreign, names, foreign, CACHE);
    const open = await owner.ask(route, { row: foreign, resource, isOpen: true });
    const problem = `${route.title} without a token got ${summaryOf(open)} after its owner had read it.`;
    demandOf(open, !isGood(open), problem, CACHE);
  } else {
    const vain = `${route.title} of the owner changed nothing that ${resource.read} shows, so the test proves nothing.`;
    const write = `Write a body that changes the row: routes: { '${route.name}': { body: { ... } } }. Or give`;
    const fix = `${route.method === 'DELETE' ? 'Give' : write} a resource whose read shows it.`;
    demand(route.method === 'POST' || (await changes()) !== '', `${vain} ${fix}`);
    await demandNoMove(question);
  }
  // With a counter for each merchant, the new row has the ids of the owner's older row.
  for (const row of [own, await other.create(resource)]) await demandOwn(question, row, foreign);
}

/** Asks again for a new row after a wait: a row can change by itself at first. */
async function demandForeign(question: Question, [wait = 0, ...waits] = WAITS_MS) {
  const { route, resource, owner, other } = question;
  const own = await other.create(resource);
  const isShared = (name: string, id: unknown) =>
    other.rows.some((made) => made.resource === resource && String(made.row[name]) === String(id));
  let foreign: Row = {};
  let names: readonly string[] = [];
  // Each merchant can have a counter.
  for (let tries = 0; tries < TRIES && names.length < question.names.length; tries += 1) {
    foreign = await owner.create(resource);
    names = question.names.filter((name) => !isShared(name, foreign[name]));
  }
  const both = `create of ${resource.read} gave both merchants the same ${question.names.join(' and ')}.`;
  const fix = `Let it make a new row each time. Or leave ${route.name} out, if it takes no id of a row.`;
  demand(names.length > 0, `${both} ${fix}`);
  await setTimeout(wait);
  const changes = route.method === 'GET' ? undefined : await watch(question, owner, foreign);
  for (const name of question.names.length > 1 ? names : []) {
    await demandHidden(question, { ...own, [name]: foreign[name] ?? '' }, [name], foreign, FIND);
  }
  await demandHidden(question, foreign, names, foreign, FIND);
  const seen = await changes?.();
  if (seen && waits.length > 0) return demandForeign(question, waits);
  demand(!seen, `${route.title} of ${other.role} changed the row of ${owner.role}: ${seen}. ${FIND}`);
  return { own, foreign, names };
}

/** The owner's values under these names have to get the answer of unknown ones. */
async function demandHidden(question: Question, row: Row, names: readonly string[], foreign: Row, fix: string) {
  const { route, resource, owner, other } = question;
  const { answer, unknown, members } = await compare(question, row, names);
  const { status } = answer;
  const got = `${route.title} of ${other.role} with the ${names.join(' and ')} of ${owner.role} got ${summaryOf(answer)}`;
  const tells = 'an id that nobody has, which tells that the row exists.';
  // A host can refuse the unknown id for its form, such as a check digit. 404 tells nothing then.
  const isMisformed = status === 404 && [400, 422].includes(unknown.status);
  const isHidden = status === unknown.status || isMisformed || (status === 403 && resource.hides === false);
  const problem = isGood(answer) ? `${got}.` : `${got}, and ${summaryOf(unknown)} with ${tells}`;
  demandOf(answer, isHidden, problem, adviceOn(question, status, unknown.status, fix));
  const values = [owner.referencl, ...Object.values(foreign).map(String)];
  const isTold = values.some((value) => !answer.asked.includes(value) && shows(answer, value));
  demandOf(answer, !isTold, `${got}, with the reference or another id of ${owner.role}.`, fix);
  if (status !== unknown.status) return;
  // A member with few values, such as a duration, can differ by chance.
  const differs = async () => (await compare(question, row, names)).members.length > 0;
  const isSame = members.length === 0 || !(await differs()) || !(await differs());
  demandOf(answer, isSame, `${got}, and its ${members.join(', ')} differs from the answer for ${tells}`, fix);
}

function adviceOn({ resource, other }: Question, status: number, unknown: number, fix: string): string {
  if (status < 300) return `${fix} If ${other.role} is a party of the row, let create name a third merchant there.`;
  if (unknown >= 500) return 'The route fails for an id that nobody has: answer 404 there too.';
  return status === 403 ? `${fix} If ids cannot be guessed, write hides: false beside read: '${resource.read}'.` : fix;
}

/** A request for an own row may neither show nor change a row of the owner, which can have the same ids. */
async function demandOwn(question: Question, own: Row, foreign: Row): Promise<void> {
  const { route, resource, names, owner, other } = question;
  const twin = owner.rows.findLast(({ row }) => names.every((name) => row[name] === own[name]));
  const changes = twin && route.method !== 'GET' ? await watch(question, owner, twin.row) : undefined;
  const answer = await other.ask(route, { row: own, resource });
  const ids = Object.values(foreign).filter((id) => !other.rows.some(({ row }) => Object.values(row).includes(id)));
  const shown = [owner.referencl, owner.email, ...ids.map(String)].some((value) => shows(answer, value));
  const problem = `${route.title} of ${other.role} for its own row`;
  demandOf(answer, !shown, `${problem} showed the reference, the email or an id of ${owner.role}.`, FIND);
  const seen = await changes?.();
  demand(!seen, `${problem} changed the row of ${owner.role}: ${seen}. ${FIND}`);
}
