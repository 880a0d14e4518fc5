import { leaveOutUnless } from '../left-out.js';
import { demand, demandEach } from '../messages.js';
import { accountsOf, resourcesOf } from './accounts.js';
import { type Answer, CACHE, demandOf, isGood, summaryOf } from './answer.js';
import { ask, methodsOf, namesUsed } from './ask.js';
import { type Asking, callersOf, createRow, type Row } from './callers.js';
import { differencesOf, newIn } from './differences.js';
import type { HostRoute } from './host-routes.js';
import { FIND, demandChange, demandNoChange, demandNoMove, type Question, readersOf, watch } from './row-changes.js';
import { unknownIdLike } from './unknown-ids.js';
import type { HostCases, Visit } from './visit.js';

/** The number of rows after which a merchant is taken to get the ids of another one. */
const TRIES = 20;
/** The answers of `app.all` to a method that it does not serve. */
const NOT_SERVED = [404, 405, 501];

export const rowCases: HostCases = {
  '5.6 a row of another merchant is answered as one that does not exist': async (visit) => {
    const [owner, other] = await callersOf(visit);
    const { ofRows, routes } = accountsOf(visit);
    await demandEach(ofRows.flatMap(methodsOf), async (route) => {
      const taken = await takenBy(visit, route, other);
      if (!taken) return;
      const readers = readersOf(visit.host, routes, route, taken.resource);
      await checkRoute({ visit, route, ...taken, owner, other, readers });
    });
    leaveOutUnless(ofRows.length > 0, 'No route of a resource is behind a guard, so no row was asked for.');
  },
};

/**
 * Returns the resource whose ids a route takes, and the names of the values that it takes. Returns `undefined` for a method
 * that `app.all` does not serve.
 */
async function takenBy(visit: Visit, route: HostRoute, other: Asking) {
  let control: Answer | undefined;
  for (const resource of resourcesOf(route, visit.host)) {
    const row = await createRow(visit, resource, other);
    const names = namesUsed(route, resource, row);
    if (names.length === 0) continue;
    control = await ask(visit, route, other, row, resource);
    if (isGood(control)) return { resource, names };
  }
  demand(
    control !== undefined,
    `${route.name} takes no value that create returns. Let body or query of routes be a function of these values.`,
  );
  if (route.name.startsWith('ALL ') && route.method !== 'GET' && NOT_SERVED.includes(control.status)) return undefined;
  demandControl(control, route, other);
  return undefined;
}

/** A refusal that no row causes would look like a hidden row. */
function demandControl(answer: Answer, { method, name }: HostRoute, { referencl }: Asking): void {
  const part = method === 'GET' || method === 'DELETE' ? 'query' : 'body';
  demandOf(
    answer,
    isGood(answer),
    `${answer.request} of ${referencl} for its own row got ${summaryOf(answer)}, so the test of ${name} proves nothing.`,
    `Write what the route needs: routes: { '${name}': { ${part}: { ... } } }. Or leave it out: leaveOut: { '${name}': 'the reason' }.`,
  );
}

async function checkRoute(question: Question): Promise<void> {
  const { visit, route, resource, names, owner } = question;
  const { own, foreign, foreignNames } = await createPair(question);
  const choices = names.length > 1 ? [...foreignNames.map((name) => [name]), names] : [names];
  const changes = route.method === 'GET' ? undefined : await watch(question, foreign);
  for (const choice of choices) {
    await demandHidden(question, own, foreign, choice, FIND);
    if (changes) demandNoChange(question, await changes());
  }
  demandControl(await ask(visit, route, owner, foreign, resource), route, owner);
  if (changes) {
    demandChange(question, await changes());
    return demandNoMove(question);
  }
  // The owner's answer can be in a cache now.
  await demandHidden(question, own, foreign, names, CACHE);
  const open = await ask(visit, route, { ...owner, token: undefined }, foreign, resource);
  demandOf(
    open,
    !isGood(open),
    `${route.name} without a token got ${summaryOf(open)} after its owner had read it.`,
    CACHE,
  );
}

/**
 * Makes a row of both merchants, and more of the owner until it has values that the other merchant does not have, because
 * each merchant can have a counter.
 * @returns the rows, and the names of the values that are the owner's alone
 */
async function createPair({ visit, resource, names, owner, other }: Question) {
  const own = await createRow(visit, resource, other);
  const isOwners = (row: Row) => (name: string) =>
    !other.rows.some((made) => made.resource === resource && String(made.row[name]) === String(row[name]));
  let foreign = await createRow(visit, resource, owner);
  for (let tries = 1; tries < TRIES && !names.every(isOwners(foreign)); tries += 1) {
    const next = await createRow(visit, resource, owner);
    // A counter of refunds begins again in each payment.
    const isCounting = names.some((name) => !isOwners(foreign)(name) && foreign[name] !== next[name]);
    foreign = next;
    if (!isCounting) break;
  }
  const foreignNames = names.filter(isOwners(foreign));
  demand(
    foreignNames.length > 0,
    `create of ${resource.read} gave ${owner.referencl} no ${names.join(' or ')} that ${other.referencl} does not have too. Let it make a new row each time.`,
  );
  return { own, foreign, foreignNames };
}

/** Demands the same answer for values of the owner's row as for those that nobody has. The other values are `own`. */
async function demandHidden(
  question: Question,
  own: Row,
  foreign: Row,
  names: readonly string[],
  fix: string,
): Promise<void> {
  const { visit, route, resource, owner, other } = question;
  const askWith = async (valueOf: (value: string | number) => string | number) => {
    const values = names.map((name) => [name, valueOf(foreign[name] ?? '')] as const);
    const answer = await ask(visit, route, other, { ...own, ...Object.fromEntries(values) }, resource);
    demandOf(answer, answer.status !== 429, `${answer.request} got 429.`, '');
    return { ...answer, asked: values.map(([, value]) => String(value)) };
  };
  // A time or counter that both unknown ids get is the same for the foreign one, which is asked between them.
  const unknown = await askWith(unknownIdLike);
  const answer = await askWith((value) => value);
  const unknownAgain = await askWith(unknownIdLike);
  const asked = `${route.method} ${route.path} of ${other.referencl} with the ${names.join(' and ')} of ${owner.referencl}`;
  const demandIt = (isHidden: boolean, problem: string, advice = fix) =>
    demandOf(answer, isHidden, `${asked} got ${summaryOf(answer)}${problem}`, advice);
  const tells = 'an id that nobody has, which tells that the row exists.';
  const isForbidden = answer.status === 403;
  demandIt(
    answer.status === unknown.status || (isForbidden && resource.hides === false),
    isGood(answer) ? '.' : `, and ${summaryOf(unknown)} with ${tells}`,
    isForbidden ? `${fix} If ids cannot be guessed, write hides: false beside read: '${resource.read}'.` : fix,
  );
  const others = Object.entries(foreign).flatMap(([name, value]) => (names.includes(name) ? [] : [String(value)]));
  demandIt(
    ![owner.referencl, ...others].some((value) => newIn(answer, unknown, value)),
    `, with the reference or another id of ${owner.referencl}.`,
  );
  if (answer.status !== unknown.status) return;
  const isSame = differencesOf([answer, answer], [unknown, unknownAgain]).length === 0;
  demandIt(isSame, `, with another body than for ${tells}`);
}
