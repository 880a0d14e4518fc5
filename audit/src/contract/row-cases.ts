import { setTimeout } from 'node:timers/promises';
import { leaveOutUnless } from 'express-merchant-auth/testing';
import { type Answer, CACHE, demandOf, isGood, summaryOf } from './answer.js';
import { type Asking, callersOf, namesUsed, type Row } from './callers.js';
import { demand, demandEach } from './demand.js';
import { differencesOf, shows } from './differences.js';
import type { HostRoute } from './host-routes.js';
import {
  adviceOn,
  demandChange,
  demandControl,
  demandNoChange,
  demandNoGift,
  demandNoMove,
  demandOwn,
  FIND,
  isUnserved,
  type Question,
  watch,
} from './row-changes.js';
import { demandNoParent } from './row-parents.js';
import { unknownIdLike } from './unknown-ids.js';
import type { HostCases, Visit } from './visit.js';

/** The number of rows after which a merchant is taken to get the ids of another one. */
const TRIES = 20;
/** The time before the first row is read, and before each further one while rows change by themselves. */
const WAITS_MS = [0, 100, 200];

/** A route, and a resource whose values it takes. */
type Taken = Pick<Question, 'route' | 'resource' | 'names'>;

export const rowCases: HostCases = {
  '5.6 a row of another merchant is answered as one that does not exist': async (visit) => {
    const [owner, other] = await callersOf(visit);
    const { found } = visit;
    const served = new Set<string>();
    await demandEach(found.ofRows, async (route) => {
      await demandEach(await takenBy(found, route, other), async (taken) => {
        served.add(route.name);
        await checkRoute({ ...taken, found, owner, other });
      });
    });
    const unserved = found.ofRows.find(({ name }) => !served.has(name));
    demand(unserved === undefined, `${unserved?.name} answers an own row with 404, 405 or 501 to each method.`);
    leaveOutUnless(found.ofRows.length > 0, 'No route of a resource is behind a guard, so no row was asked for.');
    await demandEach(visit.host.resources ?? [], async (resource) => {
      await demandNoParent(visit, { resource, owner, other });
      await demandNoGift({ found, resource, owner, other });
    });
  },
};

/**
 * Returns the resources whose ids a route takes, and the names of the values that it takes: those whose rows it tells from
 * unknown ones, or else the first with a good answer. Returns none for a method that `app.all` does not serve.
 */
async function takenBy({ paths }: Visit['found'], route: HostRoute, other: Asking) {
  const [taken, telling]: [Taken[], Taken[]] = [[], []];
  let control: Answer | undefined;
  for (const resource of route.resources) {
    const row = await other.create(resource);
    const names = namesUsed(paths, route, resource, row);
    if (names.length === 0) continue;
    const one = { route, resource, names };
    const answer = await askWith(one, other, row);
    control = answer;
    if (isGood(answer)) taken.push(one);
    if (!isGood(answer) || route.resources.length === 1) continue;
    const unknown = [await askUnknown(one, other, row, names), await askUnknown(one, other, row, names)] as const;
    const isSame = answer.status === unknown[0].status && differencesOf([answer, answer], unknown).length === 0;
    if (!isSame) telling.push(one);
  }
  if (taken.length > 0) return telling.length > 0 ? telling : taken.slice(0, 1);
  demand(
    control !== undefined,
    `${route.name} takes no value that create returns. Let body, query or headers of routes be a function of these values. If the route takes no row, let create of a resource send its request, without an entry.`,
  );
  if (!isUnserved(route, control)) demandControl(control, route, other);
  return [];
}

/** Asks with a row, and returns the answer with the values of the row that the request has. */
async function askWith({ route, resource, names }: Taken, caller: Asking, row: Row) {
  const answer = await caller.ask(route, { row, resource });
  return { ...answer, asked: names.map((name) => String(row[name])) };
}

/** Asks with a row that has values that nobody has under these names. */
function askUnknown(taken: Taken, caller: Asking, row: Row, names: readonly string[]) {
  const unknown = names.map((name) => [name, unknownIdLike(row[name] ?? '')] as const);
  return askWith(taken, caller, { ...row, ...Object.fromEntries(unknown) });
}

async function checkRoute(question: Question): Promise<void> {
  const { route, resource, owner, other } = question;
  const { own, foreign, foreignNames, changes } = await demandForeign(question);
  demandControl(await owner.ask(route, { row: foreign, resource }), route, owner);
  if (changes) {
    demandChange(question, await changes());
    await demandNoMove(question, foreign);
  } else {
    // The owner's answer can be in a cache now.
    await demandHidden(question, foreign, foreign, foreignNames, CACHE);
    const open = await owner.ask(route, { row: foreign, resource, isOpen: true });
    const problem = `${route.name} without a token got ${summaryOf(open)} after its owner had read it.`;
    demandOf(open, !isGood(open), problem, CACHE);
  }
  // A counter of each merchant gives the second one the ids of the owner's row, which is older.
  for (const row of [own, await other.create(resource)]) await demandOwn(question, row, foreign);
}

/** Asks for a row of the owner, and again for a new one that has had time, because a row can change by itself at first. */
async function demandForeign(question: Question, [wait = 0, ...waits] = WAITS_MS) {
  const { own, foreign, foreignNames } = await createPair(question);
  await setTimeout(wait);
  const alone = question.names.length > 1 ? foreignNames.map((name) => ({ base: own, names: [name] })) : [];
  const changes = question.route.method === 'GET' ? undefined : await watch(question, foreign);
  let seen = '';
  for (const { base, names } of [...alone, { base: foreign, names: foreignNames }]) {
    await demandHidden(question, base, foreign, names, FIND);
    seen ||= (await changes?.()) ?? '';
  }
  if (seen !== '' && waits.length > 0) return demandForeign(question, waits);
  demandNoChange(question, seen);
  return { own, foreign, foreignNames, changes };
}

/**
 * Makes a row of both merchants, and more of the owner until it has values that the other merchant does not have, because
 * each merchant can have a counter.
 * @returns the rows, and the names of the values that are the owner's alone
 */
async function createPair({ route, resource, names, owner, other }: Question) {
  const own = await other.create(resource);
  const isOwners = (row: Row) => (name: string) =>
    !other.rows.some((made) => made.resource === resource && String(made.row[name]) === String(row[name]));
  let foreign = await owner.create(resource);
  for (let tries = 1; tries < TRIES && !names.every(isOwners(foreign)); tries += 1) {
    const next = await owner.create(resource);
    // A counter of refunds begins again in each payment.
    const isCounting = names.some((name) => !isOwners(foreign)(name) && foreign[name] !== next[name]);
    foreign = next;
    if (!isCounting) break;
  }
  const foreignNames = names.filter(isOwners(foreign));
  demand(
    foreignNames.length > 0,
    `create of ${resource.read} gave ${owner.role} no ${names.join(' or ')} that ${other.role} does not have too. Let it make a new row each time. Or leave ${route.name} out, if it takes no id of a row.`,
  );
  return { own, foreign, foreignNames };
}

/**
 * Demands the same answer for values of the owner's row as for those that nobody has. The other values are those of `base`.
 */
async function demandHidden(
  question: Question,
  base: Row,
  foreign: Row,
  names: readonly string[],
  fix: string,
): Promise<void> {
  const { route, resource, owner, other } = question;
  const row = { ...base, ...Object.fromEntries(names.map((name) => [name, foreign[name] ?? ''])) };
  const askTwoKinds = async () => {
    // A time or counter that both unknown ids get is the same for the foreign one, which is asked between them.
    const unknown = await askUnknown(question, other, row, names);
    const answer = await askWith(question, other, row);
    const unknownAgain = await askUnknown(question, other, row, names);
    return { answer, unknown, members: differencesOf([answer, answer], [unknown, unknownAgain]) };
  };
  const { answer, unknown, members } = await askTwoKinds();
  const asked = `${route.title} of ${other.role} with the ${names.join(' and ')} of ${owner.role}`;
  const demandIt = (isHidden: boolean, problem: string, advice = fix) =>
    demandOf(answer, isHidden, `${asked} got ${summaryOf(answer)}${problem}`, advice);
  const tells = 'an id that nobody has, which tells that the row exists.';
  const isForbidden = answer.status === 403;
  // A host can refuse the unknown id for its form, such as a check digit. 404 tells nothing then.
  const isMisformed = answer.status === 404 && [400, 422].includes(unknown.status);
  demandIt(
    answer.status === unknown.status || isMisformed || (isForbidden && resource.hides === false),
    isGood(answer) ? '.' : `, and ${summaryOf(unknown)} with ${tells}`,
    adviceOn(question, answer, unknown, fix),
  );
  const told = [owner.referencl, ...Object.values(foreign).map(String)].some(
    (value) => !answer.asked.includes(value) && shows(answer, value),
  );
  demandIt(!told, `, with the reference or another id of ${owner.role}.`);
  if (answer.status !== unknown.status) return;
  // A member with few values, such as a duration of some milliseconds, can differ once by chance.
  const differs = async () => (await askTwoKinds()).members.length > 0;
  const isSame = members.length === 0 || !(await differs()) || !(await differs());
  demandIt(isSame, `, and its ${members.join(', ')} differs from the answer for ${tells}`);
}
