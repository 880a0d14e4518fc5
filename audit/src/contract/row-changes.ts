import { type Answer, demandOf, isGood, summaryOf } from './answer.js';
import type { Asking, Row } from './callers.js';
import { demand } from './demand.js';
import { accountIn, differencesOf, membersOfOwner, objectWith, shows } from './differences.js';
import { withMembers } from './exchange.js';
import { type HostRoute, writeEntry } from './host-routes.js';
import type { Resource } from './host-under-test.js';
import type { Visit } from './visit.js';

export const FIND = 'Find the row by its id and by merchantOf(req).referencl, and answer 404 when there is none.';

/** Returns the advice on an answer for a foreign row that differs from the one for an unknown id. */
export function adviceOn(
  { route, resource, owner, other }: Question,
  answer: Answer,
  unknown: Answer,
  fix: string,
): string {
  if (isGood(answer)) {
    // The answer to another method can show a row that the caller has made.
    const text = (route.method === 'GET' ? answer.text : '') + JSON.stringify(owner.sent.map(({ body }) => body));
    const isParty = [other.referencl, other.email, String(other.id)].some((value) => shows({ ...answer, text }, value));
    return isParty ? `${fix} If ${other.role} is a party of the row, let create name a third merchant there.` : fix;
  }
  if (unknown.status >= 500) return 'The route fails for an id that nobody has: answer 404 there too.';
  return answer.status === 403
    ? `${fix} If ids cannot be guessed, write hides: false beside read: '${resource.read}'.`
    : fix;
}

const TAKE_FROM_TOKEN = 'Take the merchant from merchantOf(req), never from the body.';

/** A route that is asked with the rows of a resource, by the other merchant and by their owner. */
export interface Question {
  readonly found: Visit['found'];
  readonly route: HostRoute;
  readonly resource: Resource;
  /** The names of the values that the route takes. */
  readonly names: readonly string[];
  readonly owner: Asking;
  readonly other: Asking;
}

/** Reads a row. In a list, the answer is the row that has most of its values, or 404. */
export async function read(
  { paths }: Visit['found'],
  reader: HostRoute,
  caller: Asking,
  row: Row,
  resource: Resource,
): Promise<Answer> {
  const answer = await caller.ask(reader, { row, resource });
  if (paths.parametersIn(resource.read).length > 0 || reader.name !== resource.read) return answer;
  const json = objectWith(answer.json, Object.values(row));
  return json ? { ...answer, json, text: JSON.stringify(json) } : { ...answer, status: 404, json: undefined, text: '' };
}

/** Returns the routes that show a row: `read` of its resource, and the GET of the same path. */
function readersOf({ found, route, resource }: Question): readonly HostRoute[] {
  const reader = found.readerOf(resource);
  const same = found.routes.find(({ method, path }) => /^(?:GET|ALL)$/.test(method) && path === route.path);
  return [...new Set([reader, same ?? reader])].map((one) => ({ ...one, method: 'GET' }));
}

/** Reads a row twice with each route that shows it, because some members differ each time. */
async function readRow(question: Question, caller: Asking, row: Row) {
  const answers: { readonly name: string; readonly pair: readonly [Answer, Answer] }[] = [];
  for (const reader of readersOf(question)) {
    const readOnce = () => read(question.found, reader, caller, row, question.resource);
    answers.push({ name: reader.name, pair: [await readOnce(), await readOnce()] });
  }
  return answers;
}

type Seen = Awaited<ReturnType<typeof readRow>>;

function changesIn(before: Seen, after: Seen): string {
  const changes = before.flatMap(({ name, pair }, index) => {
    const now = after[index]?.pair ?? pair;
    const members = differencesOf(pair, now);
    const [{ status }, { status: other }] = [pair[0], now[0]];
    if (other !== status) return [`${name} answers ${other} in place of ${status}`];
    return members.length > 0 ? [`${name} shows another ${members.join(', ')}`] : [];
  });
  return changes.join(', and ');
}

/** Returns the function that says what has changed in the owner's row since. */
export async function watch(question: Question, row: Row) {
  const before = await readRow(question, question.owner, row);
  return async () => changesIn(before, await readRow(question, question.owner, row));
}

export function demandNoChange({ route, owner, other }: Question, changes: string): void {
  const problem = `${route.title} of ${other.role} changed the row of ${owner.role}: ${changes}.`;
  demand(changes === '', `${problem} ${FIND}`);
}

/** Demands that the owner's own change shows, because otherwise nobody could see that of another merchant. */
export function demandChange(question: Question, changes: string): void {
  const { method, name, title } = question.route;
  const shown = readersOf(question).map((reader) => reader.name);
  const fix =
    method === 'DELETE' ? '' : `Write a body that changes the row: routes: { '${name}': { body: { ... } } }. Or `;
  demand(
    changes !== '' || !/^(?:PUT|PATCH|DELETE)$/.test(method),
    `${title} of the owner changed nothing that ${shown.join(' or ')} shows, so the test proves nothing. ${fix}${fix ? 'give' : 'Give'} a resource whose read shows it.`,
  );
}

function referencesOf({ sentNames }: Visit['found'], { referencl }: Asking): readonly object[] {
  return sentNames.map((name) => ({ [name]: referencl }));
}

/** Demands that `create` makes no row of the owner, when its bodies have the owner's reference, or members that tell its rows. */
export async function demandNoGift(question: Pick<Question, 'found' | 'resource' | 'owner' | 'other'>): Promise<void> {
  const { found, resource, owner, other } = question;
  const readAs = (caller: Asking, row: Row) => read(found, found.readerOf(resource), caller, row, resource);
  const readNew = async (caller: Asking) => readAs(caller, await caller.create(resource));
  const others = [await readNew(other), await readNew(other)];
  const members = membersOfOwner(others, [await readNew(owner), await readNew(owner)]);
  for (const added of [...referencesOf(found, owner), ...members]) {
    // Many hosts refuse the members.
    const row = await other.create(resource, (body) => withMembers(body, added)).catch(() => undefined);
    if (row === undefined || isGood(await readAs(other, row))) continue;
    demand(
      !isGood(await readAs(owner, row)),
      `create of ${resource.read} for ${other.role} made a row of ${owner.role}, whose value the body had as ${Object.keys(added).join(', ')}. ${TAKE_FROM_TOKEN}`,
    );
  }
}

/**
 * Demands that no body moves a row to the other merchant. It has the reference of that merchant under each of its names, or
 * the value of a member that shows the merchant of a row: one that is equal in two rows of a merchant, and different in a
 * row of another.
 * @param changed a row for which the owner has sent the request
 */
export async function demandNoMove(question: Question, changed: Row): Promise<void> {
  const { found, route, resource, owner, other } = question;
  if (!/^(?:PUT|PATCH|POST)$/.test(route.method)) return;
  // A moved row looks to its owner as it looked to the other merchant. A request that hides the row would look like a move.
  const seen = await readRow(question, other, changed);
  if (changesIn(seen, await readRow(question, owner, changed)) === '') return;
  const row = await owner.create(resource);
  const hidden = await readRow(question, other, row);
  const rows = [row, await owner.create(resource)];
  const others = [await other.create(resource), await other.create(resource)];
  const readEach = async (caller: Asking, made: readonly Row[]) => {
    const answers: Answer[] = [];
    for (const one of made) answers.push(...(await readRow(question, caller, one)).map(({ pair }) => pair[0]));
    return answers;
  };
  const members = membersOfOwner(await readEach(owner, rows), await readEach(other, others));
  for (const added of [...referencesOf(found, other), ...members]) {
    const answer = await owner.ask(route, { row, resource, members: added });
    demandOf(
      answer,
      changesIn(hidden, await readRow(question, owner, row)) !== '',
      `${route.title} with the value of ${other.role} as ${Object.keys(added).join(', ')} in the body moved the row to it.`,
      TAKE_FROM_TOKEN,
    );
  }
}

/** Demands that a request for an own row shows and changes no row of the owner, which can have the same ids. */
export async function demandOwn(question: Question, own: Row, foreign: Row): Promise<void> {
  const { route, resource, names, owner, other } = question;
  const twin = owner.rows.findLast(({ row }) => names.every((name) => row[name] === own[name]));
  const changes = twin && route.method !== 'GET' ? await watch(question, twin.row) : undefined;
  const answer = await other.ask(route, { row: own, resource });
  const ids = Object.values(foreign).filter((id) => !other.rows.some(({ row }) => Object.values(row).includes(id)));
  const hasId = ids.some((id) => shows(answer, String(id)));
  const account = shows(answer, owner.referencl) ? 'reference' : accountIn(answer, owner);
  const what = account ?? (hasId ? 'id of a row' : undefined);
  const problem = `${route.title} of ${other.role} for its own row showed the ${what} of ${owner.role}.`;
  demandOf(answer, what === undefined, problem, FIND);
  if (changes) demandNoChange(question, await changes());
}

/** Returns true for the answer of `app.all` to a method that it does not serve. */
export function isUnserved({ name }: HostRoute, { status }: Answer): boolean {
  return name.startsWith('ALL ') && [404, 405, 501].includes(status);
}

/** A refusal that no row causes would look like a hidden row. */
export function demandControl(answer: Answer, { method, name }: HostRoute, { role }: Asking): void {
  const part = method === 'GET' || method === 'DELETE' ? 'query' : 'body';
  const refuse = answer.status === 403 ? `If no merchant may use it, write ${writeEntry('refused', name)}. ` : '';
  demandOf(
    answer,
    isGood(answer),
    `${answer.request} of ${role} for its own row got ${summaryOf(answer)}, so the test of ${name} proves nothing.`,
    `${refuse}Write what the route needs: routes: { '${name}': { ${part}: { ... } } }. Or leave it out: ${writeEntry('leaveOut', name)}.`,
  );
}
