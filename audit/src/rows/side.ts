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

/** A row that a caller got, with the function that makes the path for an id. */
export interface Row {
  readonly id: string;
  readonly pathFor: (id: string) => string;
  readonly answer: Answer;
}

interface Shared extends Client, Report {
  readonly limit: number;
}

/** One direction of the audit: `other` asks for the rows of `one`. */
export interface Side extends Shared {
  readonly one: RowCaller;
  readonly other: RowCaller;
  readonly lists: readonly List[];
  /** The rows of `one` by their routes. */
  readonly rows: Map<string, readonly Row[]>;
  /** Returns the names in an answer that no list shows to `other`, each once. */
  readonly ownIn: (answer: Answer) => readonly Member[];
  /** Those of all lists. */
  readonly own: readonly Member[];
  /** Returns true if an answer has a row of `one` that its path does not name. */
  readonly showsRow: (answer: Answer, path: string, own?: readonly Member[]) => boolean;
}

export function sideOf([one, other]: readonly [RowCaller, RowCaller], lists: readonly List[], shared: Shared): Side {
  const shown = new Set(lists.flatMap(({ theirs, open }) => [...theirs.contents, ...open.contents]));
  const ownIn = ({ names }: Answer) => {
    const own = names.filter((name) => !shown.has(tagOf(name)));
    return [...new Map(own.map((name) => [tagOf(name), name])).values()];
  };
  const own = lists.flatMap(({ mine }) => ownIn(mine));
  const showsRow: Side['showsRow'] = ({ contents }, path, names = own) => {
    const asked = decodeURIComponent(path);
    // Small numbers repeat, so a whole row is compared.
    const isIn = ({ value, row }: Member) =>
      isTelling(value) ? contents.has(value) && !asked.includes(value) : row.split(',').length > 2 && contents.has(row);
    return names.some(isIn);
  };
  const rowOf = ({ path, mine }: List): Row => ({ id: '', pathFor: () => path.replace(/\/$/, ''), answer: mine });
  const rows = new Map(lists.map((list) => [list.path, [rowOf(list)]] as const));
  return { ...shared, one, other, lists, rows, ownIn, own, showsRow };
}
