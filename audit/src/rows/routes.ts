import { isOwner, isTelling } from './answers.js';
import { fill, isAbout, parametersIn, restBelow } from './paths.js';
import type { Row, Side } from './side.js';

interface Try extends Pick<Row, 'id' | 'pathFor'> {
  /** The path with the same id below a row of `other`. */
  readonly inTheirs?: Row['pathFor'] | undefined;
  /** True for an id that can name a row of everyone, as that of a product in an order. */
  readonly isLoose?: boolean;
}

const MOST_ROWS = 3;

/** Asks a route with parameters as `one`, and for each row that it gets as `other`. */
export async function askRoute(route: string, side: Side, theirs: Side['rows'], limit: number): Promise<void> {
  const { one, other, get, find, ask, unclear, ownIn } = side;
  const rows: Row[] = [];
  for (const { inTheirs, isLoose, ...tried } of triesFor(route, side, theirs).slice(0, limit)) {
    const answer = await get(tried.pathFor(tried.id), one);
    if (answer.isLost) {
      unclear.add(route);
      break;
    }
    if (!answer.isOk) continue;
    const row = { ...tried, answer, own: ownIn(answer) };
    rows.push(row);
    for (const pathFor of [tried.pathFor, inTheirs ?? []].flat()) {
      if (!(await isShown(side, { ...row, pathFor }))) continue;
      if (isLoose) ask(route, `shows ${other.name} a row that ${one.name} has the id of`);
      else find(route, `showed ${other.name} a row of ${one.name} (GET ${pathFor(tried.id)})`);
    }
    if (rows.length === MOST_ROWS) break;
  }
  side.rows.set(route, rows);
}

/** Returns true if `other` gets the row, and neither a stranger nor an id that nobody has gets the same. */
async function isShown({ other, get, showsRow }: Side, { id, pathFor, answer, own }: Row): Promise<boolean> {
  const path = pathFor(id);
  const theirs = await get(path, other);
  if (!theirs.isOk) return false;
  const nobody = /^\d+$/.test(id) ? '987654321' : id.replace(/\d/g, '7').replace(/[a-z]/gi, 'a');
  const control = await get(pathFor(nobody), other);
  const isSame = theirs.text === answer.text && control.text.replaceAll(nobody, id) !== theirs.text;
  const isNamed = !control.isOk && isTelling(id) && theirs.contents.has(id);
  return (isSame || isNamed || showsRow(theirs, path, own)) && !(await get(path)).isOk;
}

/** Returns requests for the route: with the names in the nearest answers above it, and then with those of all lists. */
function triesFor(route: string, { own, rows: mine }: Side, theirs: Side['rows']): readonly Try[] {
  const nearest = [...mine].toSorted(([one], [other]) => other.length - one.length);
  const above = nearest.flatMap(([list, rows]): Try[] => {
    const rest = restBelow(list, route);
    if (rest === undefined || parametersIn(rest) > 1) return [];
    if (parametersIn(rest) === 0)
      return rows.map(({ id, pathFor }) => ({ id, pathFor: (other) => pathFor(other) + rest }));
    const [foreign] = parametersIn(list) > 0 ? (theirs.get(list) ?? []) : [];
    const inside = (row: Row) => (id: string) => row.pathFor(row.id) + fill(rest, id);
    return rows.flatMap((row) =>
      row.own.map(({ value: id }) => ({ id, pathFor: inside(row), inTheirs: foreign && inside(foreign) })),
    );
  });
  const pathFor = (id: string) => fill(route, id);
  const elsewhere = own
    .map((name) => ({ id: name.value, pathFor, isLoose: !isOwner(name) && !isAbout(name.path, route) }))
    .toSorted((one, other) => Number(one.isLoose) - Number(other.isLoose));
  const tries = new Map<string, Try>();
  for (const one of [...above, ...(parametersIn(route) === 1 ? elsewhere : [])])
    if (!tries.has(one.pathFor(one.id))) tries.set(one.pathFor(one.id), one);
  return [...tries.values()];
}
