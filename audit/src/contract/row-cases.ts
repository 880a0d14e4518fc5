import { leaveOutUnless } from 'express-merchant-auth/testing';
import { type Answer, demand, demandEach, demandOf, demandSteadily, isGood, summaryOf } from './answer.js';
import { type Asking, callersOf, type Row, secretsOf } from './callers.js';
import { methodsOf } from './host-routes.js';
import { differencesOf, shows } from './json.js';
import { writeEntry } from './paths.js';
import { demandNoGift, demandNoMove, demandNoParent, FIND, type Question, read } from './row-changes.js';
import { unknownIdLike } from './unknown-ids.js';
import type { HostCases } from './visit.js';

const PARTY = 'If otherMerchant is a party of the row, let create name a third merchant there.';
/** After so many rows, both merchants are taken to get the same ids. */
const TRIES = 10;

export const rowCases: HostCases = {
  '5.6 a row of another merchant is answered as one that does not exist': async (visit, pauses) => {
    const { owner, other } = await callersOf(visit);
    const { ofRows } = visit.found;
    leaveOutUnless(ofRows.length > 0, 'No route of a resource is behind a guard, so no row was asked for.');
    // One method of app.all, and one of the resources for an id in a body, has to have a good answer.
    await demandEach(ofRows, (all) => {
      const questions = methodsOf(all).flatMap((route) =>
        all.resources.map((resource) => ({ visit, route, resource, owner, other })),
      );
      return demandEach(questions, (question) => checkRoute(question, pauses), true);
    });
    await demandEach(visit.host.resources ?? [], async (resource) => {
      await demandNoParent({ visit, resource, owner, other });
      await demandNoGift({ visit, resource, owner, other });
    });
  },
};

async function checkRoute(question: Question, pauses: readonly number[]): Promise<void> {
  const { route, resource, owner, other } = question;
  const { title, method, name } = route;
  const own = await other.create(resource);
  const control = await other.ask(route, { row: own, resource });
  const { names } = control;
  const give = 'Let create return each parameter of read, or let an entry of routes take these values.';
  demand(names.length > 0, `${name} takes no value that create returns, so the test proves nothing. ${give}`);
  demandControl(question, control, other.role);
  const isShared = (key: string, id: unknown) =>
    other.rows.some((made) => made.resource === resource && String(made.row[key]) === String(id));
  const foreignIn = (row: Row) => names.filter((key) => !isShared(key, row[key]));
  for (let tries = 0; tries < TRIES && foreignIn(await owner.create(resource)).length === 0; tries += 1);
  // With a counter for each merchant, this row has the ids of one of the owner's rows.
  await owner.create(resource);
  const late = await other.create(resource);
  const isTwin = (row: Row) => [own, late].some((mine) => names.every((key) => row[key] === mine[key]));
  const twins = owner.rows.filter((made) => made.resource === resource && isTwin(made.row)).map(({ row }) => row);

  await demandSteadily(pauses, async () => {
    const foreign = await owner.create(resource);
    const keys = foreignIn(foreign);
    const both = `create of ${resource.read} gave both merchants the same ${names.join(' and ')}.`;
    const fix = `Let it make a new row each time. Or leave ${name} out, if it takes no id of a row.`;
    demand(keys.length > 0, `${both} ${fix}`);
    const changes = await watch(question, [foreign, ...twins]);
    for (const row of [own, late]) {
      const answer = await other.ask(route, { row, resource });
      const shown = secretsOf(owner, other).some((value) => shows(answer, value));
      const what = `showed the reference, the email or an id of ${owner.role}`;
      demandOf(answer, !shown, `${title} of ${other.role} for its own row ${what}.`, `${FIND} ${PARTY}`);
    }
    for (const key of names.length > 1 ? keys : []) {
      await demandHidden(question, { ...late, [key]: foreign[key] ?? '' }, [key]);
    }
    await demandHidden(question, foreign, keys);
    const seen = await changes();
    demand(seen === '', `${title} of ${other.role} changed the row of ${owner.role}: ${seen}. ${FIND}`);
    demandControl(question, await owner.ask(route, { row: foreign, resource }), owner.role);
    if (method === 'GET') {
      const open = await owner.ask(route, { row: foreign, resource, isOpen: true });
      const problem = `${title} without a token got ${summaryOf(open)} after its owner had read it.`;
      demandOf(open, !isGood(open), problem, FIND);
      await demandMore(question, foreign, keys);
    }
    const vain = `${title} of the owner changed nothing that ${resource.read} shows, so the test proves nothing.`;
    const write = `Write a body that changes the row: routes: { '${name}': { body: { ... } } }. Or give`;
    const give = `${method === 'DELETE' ? 'Give' : write} a resource whose read shows it.`;
    demand(/GET|POST/.test(method) || (await changes()) !== '', `${vain} ${give}`);
  });
  if (!/GET|DELETE/.test(method)) await demandNoMove(question);
}

/** A refusal that no row causes would look like a hidden row. */
function demandControl({ route: { method, name } }: Question, answer: Answer, role: string): void {
  const got = `${answer.request} of ${role} for its own row got ${summaryOf(answer)}`;
  const part = /GET|DELETE/.test(method) ? 'query' : 'body';
  const fix = `Write what the route needs: routes: { '${name}': { ${part}: { ... } } }. Or leave it out: ${writeEntry('leaveOut', name)}.`;
  demandOf(answer, isGood(answer), `${got}, so the test of ${name} proves nothing.`, fix);
}

/** Asks for a row between two requests with unknown values under these names, and compares the answers. */
async function besideUnknown({ route, resource }: Question, caller: Asking, row: Row, names: readonly string[]) {
  const askUnknown = () => {
    const values = names.map((name) => [name, unknownIdLike(row[name] ?? '')] as const);
    return caller.ask(route, { row: { ...row, ...Object.fromEntries(values) }, resource });
  };
  // A counter or time that both unknown ids get, the row between them gets too.
  const unknown = await askUnknown();
  const answer = await caller.ask(route, { row, resource });
  return { unknown, answer, members: differencesOf(unknown, await askUnknown(), answer) };
}

/** The route has to show its owner something of the row. An empty list is the same with and without a check. */
async function demandMore(question: Question, row: Row, names: readonly string[]) {
  const { route, resource, owner } = question;
  const { unknown, answer, members } = await besideUnknown(question, owner, row, names);
  const vain = `${route.title} answers ${owner.role} for its own row as for an id that nobody has, so the test proves nothing.`;
  demand(
    unknown.status !== answer.status || members.length > 0,
    `${vain} Let create of ${resource.read} make what it shows, or write ${writeEntry('leaveOut', route.name)}.`,
  );
}

/** The owner's values under these names have to get the answer of unknown ones. */
async function demandHidden(question: Question, row: Row, names: readonly string[]) {
  const { route, resource, owner, other } = question;
  const { unknown, answer, members } = await besideUnknown(question, other, row, names);
  const { status } = answer;
  const got = `${route.title} of ${other.role} with the ${names.join(' and ')} of ${owner.role} got ${summaryOf(answer)}`;
  const tells = 'an id that nobody has, which tells that the row exists.';
  let fix = FIND;
  if (isGood(answer)) fix = `${FIND} ${PARTY}`;
  else if (unknown.status >= 500) fix = 'The route fails for an id that nobody has: answer 404 there too.';
  else if (status === 403)
    fix = `${FIND} If ids cannot be guessed, write hides: false beside read: '${resource.read}'.`;
  // A host can refuse the unknown id for its form, such as a check digit. 404 tells nothing then.
  const isMisformed = status === 404 && [400, 422].includes(unknown.status);
  const isHidden = status === unknown.status || isMisformed || (status === 403 && resource.hides === false);
  demandOf(answer, isHidden, isGood(answer) ? `${got}.` : `${got}, and ${summaryOf(unknown)} with ${tells}`, fix);
  const isTold = secretsOf(owner, other).some((value) => !answer.asked.includes(value) && shows(answer, value));
  demandOf(answer, !isTold, `${got}, with the reference or another id of ${owner.role}.`, FIND);
  const isSame = status !== unknown.status || members.length === 0;
  demandOf(answer, isSame, `${got}, and its ${members.join(', ')} differs from the answer for ${tells}`, FIND);
}

/** Returns a function that names changes of the owner's rows since then, in `read` and in a GET of the same path. */
async function watch({ visit, route, resource, owner }: Question, rows: readonly Row[]) {
  const { found } = visit;
  const same = found.routes.find(({ method, path }) => /^(?:GET|ALL)$/.test(method) && path === route.path);
  const readEach = async () => {
    const seen: Record<string, object> = {};
    for (const [at, row] of rows.entries()) {
      for (const reader of [found.readerOf(resource), same ?? found.readerOf(resource)]) {
        const { status, json, text } = await read(visit, resource, owner, row, reader);
        seen[`${reader.name}${at === 0 ? '' : ` (${at})`}`] = { status, body: json ?? text };
      }
    }
    return { json: seen, text: '' };
  };
  // Some members differ each time.
  const [before, again] = [await readEach(), await readEach()];
  return async () => differencesOf(before, again, await readEach()).join(', ');
}
