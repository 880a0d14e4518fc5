import { type Answer, isTelling, type Member, tagOf } from './answers.js';
import type { Callers, Client } from './client.js';
import type { Report } from './report.js';

/** A route without parameters, and its answers to both callers and a stranger. */
export interface List {
  readonly path: string;
  readonly mine: Answer;
  readonly theirs: Answer;
  readonly open: Answer;
}

/** A row that `one` got, or a list of rows. */
export interface Row {
  readonly id: string;
  /** The path with the parameter for the id. */
  readonly path: string;
  /** The same below a row of `other`. */
  readonly inTheirs?: string | undefined;
  /** The id can name a row of everyone, as that of a product in an order. */
  readonly isLoose: boolean;
  /** The names in it that no list shows to `other`. */
  readonly own: readonly Member[];
}

export type Side = ReturnType<typeof sideOf>;

/** `other` asks for the rows of `one`. */
export function sideOf([one, other]: Callers, lists: readonly List[], shared: Client & Report) {
  const shown = new Set(lists.flatMap(({ theirs }) => [...theirs.contents]));
  const ownIn = ({ names }: Answer): readonly Member[] => {
    const own = names.filter((name) => !shown.has(tagOf(name)));
    return [...new Map(own.map((name) => [tagOf(name), name])).values()];
  };
  /** The names that only `one` is shown, and the list of each. */
  const own = lists.flatMap(({ path, mine }) => ownIn(mine).map((name) => ({ ...name, path })));
  // The whole row stands for a small number.
  const secrets = own.flatMap(({ value, row }) => (isTelling(value) ? value : row.split(',').length > 2 ? row : []));
  /** Does not count a row that the path names. */
  const showsRow = ({ contents }: Answer, path: string) =>
    secrets.some((secret) => contents.has(secret) && !path.includes(encodeURIComponent(secret)));
  const rows = new Map<string, readonly Row[]>();
  return { ...shared, one, other, lists, rows, own, ownIn, showsRow };
}
