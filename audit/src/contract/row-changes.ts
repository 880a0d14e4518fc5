import { type Answer, demandOf, isGood, summaryOf } from './answer.js';
import type { Asking, Row } from './callers.js';
import { demand, demandEach } from './demand.js';
import { differencesOf, objectsIn, scalarsIn, spellingsOf, timesIn } from './differences.js';
import { withMembers } from './exchange.js';
import { entryFor, type HostRoute } from './host-routes.js';
import type { Resource } from './host-under-test.js';
import { unknownIdLike } from './unknown-ids.js';
import type { Visit } from './visit.js';

export const FIND = 'Find the row by its id and by merchantOf(req).referencl, and answer 404 when there is none.';
const TAKE_FROM_TOKEN = 'Take the merchant from merchantOf(req), never from the body.';

/** `other` asks for the rows of `owner`. */
export interface Rows {
  readonly visit: Visit;
  readonly resource: Resource;
  readonly owner: Asking;
  readonly other: Asking;
}

export interface Question extends Rows {
  readonly route: HostRoute;
  /** The values of a row that the route takes. */
  readonly names: readonly string[];
}

/** In a list, the answer is the object that has most of the row's values, or 404. */
export async function read({ found }: Visit, resource: Resource, caller: Asking, row: Row, by?: HostRoute) {
  const reader = by ?? found.readerOf(resource);
  const answer: Answer = await caller.ask({ ...reader, method: 'GET' }, { row, resource });
  if (reader.name !== resource.read || reader.parameters.length > 0) return answer;
  const values = Object.values(row).map(String);
  const count = (one: object) => Object.values(one).filter((value) => values.includes(String(value))).length;
  const [best] = objectsIn(answer.json).toSorted((one, other) => count(other) - count(one));
  if (best === undefined || count(best) === 0) return { ...answer, status: 404, json: undefined, text: '' };
  return { ...answer, json: best, text: JSON.stringify(best) };
}

/** Returns a function that names the changes since then, in `read` and in a GET of the same path. */
export async function watch({ visit, route, resource }: Question, caller: Asking, row: Row) {
  const { found } = visit;
  const same = found.routes.find(({ method, path }) => /^(?:GET|ALL)$/.test(method) && path === route.path);
  const readEach = async () => {
    const seen: Record<string, object> = {};
    for (const reader of [found.readerOf(resource), same ?? found.readerOf(resource)]) {
      const { status, json, text } = await read(visit, resource, caller, row, reader);
      seen[reader.name] = { status, body: json ?? text };
    }
    return { json: seen, text: '' };
  };
  // Some members differ each time.
  const before = [await readEach(), await readEach()] as const;
  return async () => differencesOf(before, [await readEach(), await readEach()]).join(', ');
}

/** No body may move the owner's row to the other merchant. */
export async function demandNoMove(question: Question): Promise<void> {
  const { route, resource, owner, other } = question;
  if (route.method === 'DELETE') return;
  const bodies = await bodiesOf(question, other, owner);
  const row = await owner.create(resource);
  const changes = await watch(question, other, row);
  for (const members of bodies) {
    const answer = await owner.ask(route, { row, resource, members });
    const name = Object.keys(members).join();
    const problem = `${route.title} with the value of ${other.role} as ${name} in the body moved the row to it.`;
    demandOf(answer, (await changes()) === '', problem, TAKE_FROM_TOKEN);
  }
}

/**
 * Names a merchant by its reference under each name, and by members that are equal in two of its rows and differ in a
 * stranger's. An inner member is there alone, and in the objects around it.
 */
async function bodiesOf({ visit, resource }: Rows, merchant: Asking, stranger: Asking): Promise<object[]> {
  const readNew = async (caller: Asking) =>
    scalarsIn((await read(visit, resource, caller, await caller.create(resource))).json);
  const [one, same] = [await readNew(merchant), await readNew(merchant)];
  const [foreign, foreignSame] = [await readNew(stranger), await readNew(stranger)];
  const telling = [...one].filter(([path, value]) => {
    const isStable = value === same.get(path) && foreign.get(path) === foreignSame.get(path);
    return isStable && foreign.has(path) && foreign.get(path) !== value;
  });
  const references = visit.found.sentNames.map((name) => [name, merchant.referencl] as const);
  return [...references, ...telling].flatMap(([path, value]) => {
    const names = path.split('.');
    const from = (start: number) =>
      names.slice(start).reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
    const [, ...others] = spellingsOf(names.at(-1) ?? '');
    return [...names.map((_, start) => from(start) as object), ...others.map((name) => ({ [name]: value }))];
  });
}

/** `create` may make no row of the owner when a body names it. */
export async function demandNoGift(rows: Rows): Promise<void> {
  const { visit, resource, owner, other } = rows;
  for (const added of await bodiesOf(rows, owner, other)) {
    // Many hosts refuse the members.
    const row = await other.create(resource, (body) => withMembers(body, added)).catch(() => undefined);
    if (row === undefined || isGood(await read(visit, resource, other, row))) continue;
    const name = Object.keys(added).join();
    const problem = `create of ${resource.read} for ${other.role} made a row of ${owner.role}, whose value the body had as ${name}.`;
    demand(!isGood(await read(visit, resource, owner, row)), `${problem} ${TAKE_FROM_TOKEN}`);
  }
}

/**
 * A body of `create` may take an id of the owner only where it takes an unknown one too. The ids are those that
 * `create` returned, and those in answers to its earlier requests.
 */
export async function demandNoParent({ visit: { host, found }, resource, owner, other }: Rows): Promise<void> {
  const start = owner.sent.length;
  const row = await owner.create(resource);
  const steps = owner.sent.slice(start);
  await demandEach([...steps.entries()], async ([step, { method, path, body }]) => {
    const route = found.routes.find((one) => one.method === method && found.paths.isPathOf(path, one.path));
    const name = route?.name ?? `${method} ${path}`;
    if (entryFor(host.leaveOut, name) !== undefined) return;
    const known = textOf([row], steps.slice(0, step));
    for (const [place, id] of scalarsIn(body)) {
      const answer = timesIn(known, id) > 0 ? await createWith(step, place, id) : undefined;
      if (!answer || !isGood(answer)) continue;
      const unknown = await createWith(step, place, unknownIdLike(id));
      const problem = `${name} of ${other.role} with the ${place} of ${owner.role} got ${summaryOf(answer)}.`;
      demandOf(answer, unknown === undefined || isGood(unknown), problem, FIND);
    }
  });

  /** Returns `undefined` for a value that the caller has too. */
  async function createWith(step: number, place: string, id: string | number) {
    let changed: object | undefined;
    const change = (body: object, current: number) => {
      // A counter of each merchant can give the caller the same id.
      if (current !== step || timesIn(textOf(other.rows, other.sent), id) > 0) return body;
      const [name, usual] = [place.replace(/.*\./, ''), scalarsIn(body).get(place)];
      const write = (key: string, value: unknown) => (key === name && value === usual ? id : value);
      return (changed = JSON.parse(JSON.stringify(body), write) as object);
    };
    await other.create(resource, change).catch(() => undefined);
    return changed && other.sent.find(({ body }) => body === changed)?.answer;
  }
}

const textOf = (rows: readonly object[], sent: Asking['sent']) =>
  JSON.stringify([rows, sent.map(({ answer }) => answer.json)]);
