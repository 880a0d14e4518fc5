import { demandOf, isGood, summaryOf } from './answer.js';
import type { Asking, Sent } from './callers.js';
import { demandEach } from './demand.js';
import { scalarsIn } from './differences.js';
import { entryFor } from './host-routes.js';
import { FIND, type Question } from './row-changes.js';
import { unknownIdLike } from './unknown-ids.js';
import type { Visit } from './visit.js';

type Asked = Pick<Question, 'resource' | 'owner' | 'other'>;

/** A member of the body of a request, with the number of the requests of `create` before. */
interface Member {
  readonly step: number;
  readonly place: string;
}

/**
 * Demands that a body of `create` takes no id of the owner where it takes none that nobody has. The ids are those that
 * `create` returned, and those in the answers to its earlier requests.
 */
export async function demandNoParent({ host, found }: Visit, { resource, owner, other }: Asked): Promise<void> {
  const start = owner.sent.length;
  const row = Object.values(await owner.create(resource)).map(String);
  const steps = owner.sent.slice(start);
  await demandEach([...steps.entries()], async ([step, { method, path, body }]) => {
    const route = found.routes.find((one) => one.method === method && found.paths.isPathOf(path, one.path));
    const name = route?.name ?? `${method} ${path}`;
    if (entryFor(host.leaveOut, name) !== undefined) return;
    const known = new Set([...row, ...valuesIn(steps.slice(0, step))]);
    const ids = [...scalarsIn(body)].filter(([, id]) => known.has(String(id)));
    for (const [place, id] of ids) {
      const answer = await createWith({ step, place }, id, resource, other);
      if (!answer || !isGood(answer)) continue;
      const unknown = await createWith({ step, place }, unknownIdLike(id), resource, other);
      const problem = `${name} of ${other.role} with the ${place} of ${owner.role} got ${summaryOf(answer)}.`;
      demandOf(answer, unknown === undefined || isGood(unknown), problem, FIND);
    }
  });
}

/** Creates a row with another id in a body. Returns the answer, or `undefined` for an id that the caller has too. */
async function createWith({ step, place }: Member, id: string | number, resource: Asked['resource'], caller: Asking) {
  const start = caller.sent.length;
  let changed: object | undefined;
  const change = (body: object): object => {
    // A counter of each merchant can give the caller the same id.
    if (caller.sent.length !== start + step || valuesOf(caller).includes(String(id))) return body;
    const name = place.replace(/.*\./, '');
    const usual = scalarsIn(body).get(place);
    const write = (key: string, value: unknown) => (key === name && value === usual ? id : value);
    changed = JSON.parse(JSON.stringify(body), write) as object;
    return changed;
  };
  await caller.create(resource, change).catch(() => undefined);
  return changed && caller.sent.find((one) => one.body === changed)?.answer;
}

/** Returns the values of all rows of a merchant, and of the good answers to its requests. */
function valuesOf({ rows, sent }: Asking): readonly string[] {
  return [...rows.flatMap(({ row }) => Object.values(row).map(String)), ...valuesIn(sent)];
}

function valuesIn(sent: readonly Sent[]): readonly string[] {
  const good = sent.filter(({ answer }) => isGood(answer));
  return good.flatMap(({ answer }) => [...scalarsIn(answer.json).values()].map(String));
}
