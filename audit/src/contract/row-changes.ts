import { type Answer, demand, demandEach, demandOf, isGood, summaryOf, withMembers } from './answer.js';
import type { Asking, Row } from './callers.js';
import type { HostRoute } from './host-routes.js';
import type { Resource } from './host-under-test.js';
import { objectsIn, scalarsIn, timesIn } from './json.js';
import { entryFor } from './paths.js';
import { unknownIdLike } from './unknown-ids.js';
import type { Visit } from './visit.js';

export const FIND =
  'Find the row by its id and by merchantOf(req).referencl, answer 404 when there is none, and keep no answer in a cache for all callers.';
const TAKE_FROM_TOKEN = 'Take the merchant from merchantOf(req), never from the body.';

/** `other` asks for the rows of `owner`. */
interface Rows {
  readonly visit: Visit;
  readonly resource: Resource;
  readonly owner: Asking;
  readonly other: Asking;
}

export interface Question extends Rows {
  readonly route: HostRoute;
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

/** A member of a row. It `tells` the merchant: only the rows of this one have the value. */
interface Member {
  readonly name: string;
  readonly value: string | number;
  readonly tells: boolean;
}

/**
 * Returns the reference under each name, and the members of a new row. The id in an object has the name of the object
 * too, because lists are filtered by `user` and not by `user._id`.
 */
export async function membersOf({ visit, resource }: Rows, merchant: Asking, stranger: Asking) {
  const readNew = async (caller: Asking) =>
    scalarsIn((await read(visit, resource, caller, await caller.create(resource))).json);
  const [one, again, foreign] = [await readNew(merchant), await readNew(merchant), await readNew(stranger)];
  const references = visit.found.sentNames.map((name) => ({ name, value: merchant.referencl, tells: true }));
  const members = [...one].flatMap(([path, value]): Member[] => {
    const names = path.split('.').filter((part) => !/^\d+$/.test(part));
    const tells = again.get(path) === value && foreign.has(path) && foreign.get(path) !== value;
    const used = names.slice(/id$/i.test(path) ? -2 : -1);
    return used.map((name) => ({ name, value, tells }));
  });
  return [...references, ...members];
}

/** No body may move the owner's row to the other merchant. */
export async function demandNoMove(question: Question): Promise<void> {
  const { route, resource, owner, other } = question;
  await demandOwn(question, owner, other, async (members) => {
    const row = await owner.create(resource);
    await owner.ask(route, { row, resource, members });
    const name = Object.keys(members).join();
    return [row, `${route.title} with the value of ${other.role} as ${name} in the body moved the row to it.`];
  });
}

/** `create` may make no row of the owner when a body names it. */
export async function demandNoGift(rows: Rows): Promise<void> {
  const { resource, owner, other } = rows;
  await demandOwn(rows, other, owner, async (members) => {
    const row = await other.create(resource, (body) => withMembers(body, members));
    const made = `create of ${resource.read} for ${other.role} made a row of ${owner.role}`;
    return [row, `${made}, whose value the body had as ${Object.keys(members).join()}.`];
  });
}

/** Demands that a row stays with the merchant that writes it, whatever member of the taker its body has. */
async function demandOwn(
  rows: Rows,
  writer: Asking,
  taker: Asking,
  write: (members: object) => Promise<readonly [Row, string]>,
): Promise<void> {
  const { visit, resource } = rows;
  const members = await membersOf(rows, taker, writer);
  for (const { name, value } of members.filter(({ tells }) => tells)) {
    // Many hosts refuse the members.
    const [row, problem] = (await write({ [name]: value }).catch(() => undefined)) ?? [];
    if (row === undefined || isGood(await read(visit, resource, writer, row))) continue;
    demand(!isGood(await read(visit, resource, taker, row)), `${problem} ${TAKE_FROM_TOKEN}`);
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
    const known = JSON.stringify([row, steps.slice(0, step).map(({ answer }) => answer.json)]);
    const places = entryFor(host.leaveOut, name) === undefined ? [...scalarsIn(body)] : [];
    for (const [place, id] of places.filter(([, value]) => timesIn(known, value) > 0)) {
      const answer = await createWith(step, place, id);
      if (!answer || !isGood(answer)) continue;
      const unknown = await createWith(step, place, unknownIdLike(id));
      const problem = `${name} of ${other.role} with the ${place} of ${owner.role} got ${summaryOf(answer)}.`;
      demandOf(answer, unknown === undefined || isGood(unknown), problem, FIND);
    }
  });

  /** Returns `undefined` for a value that the caller has too, because each merchant can have a counter. */
  async function createWith(step: number, place: string, id: string | number): Promise<Answer | undefined> {
    let changed: object | undefined;
    await other
      .create(resource, (body, current) => {
        const own = JSON.stringify([other.rows, other.sent.map(({ answer }) => answer.json)]);
        if (current !== step || timesIn(own, id) > 0) return body;
        const old = scalarsIn(body).get(place);
        const write = (key: string, value: unknown) => (place.endsWith(key) && value === old ? id : value);
        return (changed = JSON.parse(JSON.stringify(body), write) as object);
      })
      .catch(() => undefined);
    return changed && other.sent.find(({ body }) => body === changed)?.answer;
  }
}
