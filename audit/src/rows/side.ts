import { type Answer, isTelling, type Member, tagOf } from './answers.js';
import type { Client, RowCaller } from './client.js';
import type { Report } from './report.js';

/** A route without parameters, and what both callers and a stranger were answered. */
export interface List {
  readonly path: string;
  readonly mine: Answer;
  readonly theirs: Answer;
  readonly open: Answer;
}

/** A row that `one` got, or a list of rows. */
export interface Row {
  readonly id: string;
  readonly pathFor: (id: string) => string;
  readonly answer: Answer;
  /** The names in it that no list shows to `other`. */
  readonly own: readonly Member[];
}

/** One direction of the audit: `other` asks for the rows of `one`. */
export interface Side extends Client, Report {
  readonly one: RowCaller;
  readonly other: RowCaller;
  readonly lists: readonly List[];
  /** The rows of `one` by their routes. */
  readonly rows: Map<string, readonly Row[]>;
  /** The names that only `one` is shown, and the list of each. */
  readonly own: readonly (Member & { readonly path: string })[];
  readonly ownIn: (answer: Answer) => readonly Member[];
  /** Returns true if an answer has a row of `one`, or one of `more`, that its path does not name. */
  readonly showsRow: (answer: Answer, path: string, more?: readonly Member[]) => boolean;
}

export function sideOf(
  [one, other]: readonly [RowCaller, RowCaller],
  lists: readonly List[],
  shared: Client & Report,
): Side {
  const shown = new Set(lists.flatMap(({ theirs, open }) => [...theirs.contents, ...open.contents]));
  const ownIn: Side['ownIn'] = ({ names }) => {
    const own = names.filter((name) => !shown.has(tagOf(name)));
    return [...new Map(own.map((name) => [tagOf(name), name])).values()];
  };
  const rows = new Map<string, readonly Row[]>();
  for (const { path, mine } of lists)
    rows.set(path, [{ id: '', pathFor: () => path.replace(/\/$/, ''), answer: mine, own: ownIn(mine) }]);
  const own = [...rows].flatMap(([path, [row]]) => (row?.own ?? []).map((name) => ({ ...name, path })));
  const secrets = new Set(tellingIn(own));
  const showsRow: Side['showsRow'] = ({ contents }, path, more = []) => {
    const isShown = (content: string) => contents.has(content) && !path.includes(encodeURIComponent(content));
    return tellingIn(more).some(isShown) || [...contents].some((content) => secrets.has(content) && isShown(content));
  };
  return { ...shared, one, other, lists, rows, own, ownIn, showsRow };
}

/** Returns values that name a row in any list, and the whole row for a small number. */
const tellingIn = (names: readonly Member[]): string[] =>
  names.flatMap(({ value, row }) => (isTelling(value) ? value : row.split(',').length > 2 ? row : []));
