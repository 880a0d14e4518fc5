import { demand } from '../messages.js';
import { type Answer, demandOf } from './answer.js';
import { ask } from './ask.js';
import { type Asking, createRow, type Row } from './callers.js';
import { differencesOf, membersOfOwner, objectWith } from './differences.js';
import { type HostRoute, parseRoute } from './host-routes.js';
import type { Resource } from './host-under-test.js';
import type { Visit } from './visit.js';

export const FIND = 'Find the row by its id and by merchantOf(req).referencl, and answer 404 when there is none.';

/** A route that is asked with the rows of a resource, by the other merchant and by their owner. */
export interface Question {
  readonly visit: Visit;
  readonly route: HostRoute;
  readonly resource: Resource;
  /** The names of the values that the route takes. */
  readonly names: readonly string[];
  readonly owner: Asking;
  readonly other: Asking;
  /** The routes that show a row. */
  readonly readers: readonly HostRoute[];
}

/** Returns the routes that show a row: `read` of its resource, and the GET of the same path. */
export function readersOf({ found, host }: Visit, route: HostRoute, { read }: Resource): readonly HostRoute[] {
  const { routes } = found;
  const reader = routes.find(({ name }) => name.toLowerCase() === read.toLowerCase()) ?? parseRoute(read, host.routes);
  const same = routes.find(({ method, path }) => /^(?:GET|ALL)$/.test(method) && path === route.path);
  return [...new Set([reader, same ?? reader])].map((one) => ({ ...one, method: 'GET' }));
}

/** Reads a row. In a list, the answer is the row that has most of its values, or 404. */
export async function read(
  visit: Visit,
  reader: HostRoute,
  caller: Asking,
  row: Row,
  resource: Resource,
): Promise<Answer> {
  const answer = await ask(visit, reader, caller, { row, resource });
  if (visit.paths.parametersIn(resource.read).length > 0 || reader.name !== resource.read) return answer;
  const json = objectWith(answer.json, Object.values(row));
  return json ? { ...answer, json, text: JSON.stringify(json) } : { ...answer, status: 404, json: undefined, text: '' };
}

/** Reads a row twice with each route that shows it, because some members differ each time. */
async function readRow({ visit, readers, resource }: Question, caller: Asking, row: Row) {
  const answers: [HostRoute, [Answer, Answer]][] = [];
  for (const reader of readers) {
    const readOnce = () => read(visit, reader, caller, row, resource);
    answers.push([reader, [await readOnce(), await readOnce()]]);
  }
  return answers;
}

type Seen = Awaited<ReturnType<typeof readRow>>;

/** Says which members two readings show with different values. */
function changesIn(before: Seen, after: Seen): string {
  const changes = before.flatMap(([{ name }, answers], index) => {
    const now = after[index]?.[1] ?? answers;
    const members = differencesOf(answers, now);
    const [{ status }, { status: other }] = [answers[0], now[0]];
    if (other !== status) return [`${name} answers ${other} in place of ${status}`];
    return members.length > 0 ? [`${name} shows another ${members.join(', ')}`] : [];
  });
  return changes.join(', and ');
}

/** Reads the owner's row, and returns the function that says what has changed since. */
export async function watch(question: Question, row: Row) {
  const before = await readRow(question, question.owner, row);
  return async () => changesIn(before, await readRow(question, question.owner, row));
}

export function demandNoChange({ route, owner, other }: Question, changes: string): void {
  const problem = `${route.method} ${route.path} of ${other.referencl} changed the row of ${owner.referencl}: ${changes}.`;
  demand(changes === '', `${problem} ${FIND}`);
}

/** Demands that the owner's own change shows, because otherwise nobody could see that of another merchant. */
export function demandChange({ route, readers }: Question, changes: string): void {
  const shown = readers.map(({ name }) => name).join(' or ');
  const body =
    route.method === 'DELETE'
      ? ''
      : ` Write a body that changes the row: routes: { '${route.name}': { body: { ... } } }.`;
  demand(
    changes !== '' || !/^(?:PUT|PATCH|DELETE)$/.test(route.method),
    `${route.method} ${route.path} of the owner changed nothing that ${shown} shows, so the test proves nothing.${body} Or give a resource whose read shows it.`,
  );
}

/**
 * Demands that no body moves a row to the other merchant. It has the reference of that merchant under each of its names, or
 * the value of a member that shows the merchant of a row: one that is equal in two rows of a merchant, and different in a
 * row of another.
 * @param changed a row for which the owner has sent the request
 */
export async function demandNoMove(question: Question, changed: Row): Promise<void> {
  const { visit, route, resource, owner, other } = question;
  if (!/^(?:PUT|PATCH|POST)$/.test(route.method)) return;
  // A moved row looks to its owner as it looked to the other merchant. A request that hides the row would look like a move.
  const seen = await readRow(question, other, changed);
  if (changesIn(seen, await readRow(question, owner, changed)) === '') return;
  const row = await createRow(visit, resource, owner);
  const hidden = await readRow(question, other, row);
  const rows = [row, await createRow(visit, resource, owner)];
  const others = [await createRow(visit, resource, other), await createRow(visit, resource, other)];
  const kinds: [Answer[], Answer[]] = [[], []];
  for (const one of rows) kinds[0].push(...(await readRow(question, owner, one)).map(([, [answer]]) => answer));
  for (const one of others) kinds[1].push(...(await readRow(question, other, one)).map(([, [answer]]) => answer));
  const references = visit.found.referenceNames.map((name) => ({ [name]: other.referencl }));
  for (const members of [...references, ...membersOfOwner(...kinds)]) {
    const answer = await ask(visit, route, owner, { row, resource, members });
    demandOf(
      answer,
      changesIn(hidden, await readRow(question, owner, row)) !== '',
      `${route.method} ${route.path} with the value of ${other.referencl} as ${Object.keys(members).join(', ')} in the body moved the row to it.`,
      'Take the merchant from merchantOf(req), never from the body.',
    );
  }
}
