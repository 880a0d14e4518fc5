import { isOwner, isTelling } from './answers.js';
import { fill, isAbout, parametersIn, restBelow } from './paths.js';
import type { Row, Side } from './side.js';

type Try = Omit<Row, 'own'>;
const MOST_ROWS = 3;

/** Asks as `one`, and for each row that it gets as `other`. */
export async function askRoute(route: string, side: Side, theirs: Side['rows'], limit: number): Promise<void> {
  const { one, other, get, find, ask, unclear, ownIn } = side;
  const rows: Row[] = [];
  for (const tried of triesFor(route, side, theirs).slice(0, limit)) {
    const answer = await get(fill(tried.path, tried.id), one);
    if (answer.isLost) {
      unclear.add(route);
      break;
    }
    if (!answer.isOk) continue;
    const row = { ...tried, own: ownIn(answer) };
    rows.push(row);
    for (const path of [row.path, row.inTheirs ?? []].flat()) {
      if (!(await isShown(side, path, row.id, answer.text))) continue;
      if (row.isLoose) ask(route, `shows ${other.name} a row that ${one.name} has the id of`);
      else find(route, `showed ${other.name} a row of ${one.name} (GET ${fill(path, row.id)})`);
    }
    if (rows.length === MOST_ROWS) break;
  }
  side.rows.set(route, rows);
}

/** Returns true if `other` gets the row, unless a stranger or an unknown id gets the same. */
async function isShown({ other, get, showsRow }: Side, path: string, id: string, text: string): Promise<boolean> {
  const request = fill(path, id);
  const theirs = await get(request, other);
  if (!theirs.isOk) return false;
  const nobody = /^\d+$/.test(id) ? '987654321' : id.replace(/\d/g, '7').replace(/[a-z]/gi, 'a');
  const control = await get(fill(path, nobody), other);
  const isSame = theirs.text === text && control.text.replaceAll(nobody, id) !== theirs.text;
  const isNamed = !control.isOk && isTelling(id) && theirs.contents.has(id);
  return (isSame || isNamed || showsRow(theirs, request)) && !(await get(request)).isOk;
}

/** Tries names in the nearest answers above the route first, and then those of the lists. */
function triesFor(route: string, { own, rows: mine }: Side, theirs: Side['rows']): readonly Try[] {
  const nearest = [...mine].toSorted(([one], [other]) => other.length - one.length);
  const above = nearest.flatMap(([parent, rows]): Try[] => {
    const rest = restBelow(parent, route);
    if (rest === undefined || parametersIn(rest) !== 1) return [];
    const [inTheirs] = (theirs.get(parent) ?? []).map(({ path, id }) => fill(path, id) + rest);
    return rows.flatMap(({ path, id: above, isLoose, own: names }) =>
      names.map(({ value: id }) => ({ id, path: fill(path, above) + rest, inTheirs, isLoose })),
    );
  });
  const inLists = (parametersIn(route) === 1 ? own : [])
    .map((name) => ({ id: name.value, rank: isAbout(name.path, route) ? 0 : isOwner(name) ? 1 : 2 }))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ id, rank }) => ({ id, path: route, isLoose: rank === 2 }));
  const tries = new Map<string, Try>();
  for (const one of [...above, ...inLists]) {
    const request = fill(one.path, one.id);
    tries.set(request, tries.get(request) ?? one);
  }
  return [...tries.values()];
}
