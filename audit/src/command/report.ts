import { styleText } from 'node:util';
import type { AskedRoute } from '../ask/ask-routes.js';

export interface Row extends Omit<AskedRoute, 'handler' | 'refuser' | 'route'> {
  /** The file and line of the handler. */
  readonly place: string;
  /** The package, or the file and line, of the function that answered. */
  readonly refuser: string;
}
interface Report {
  readonly rows: readonly Row[];
  /** The open routes that are not accepted. */
  readonly fresh: readonly Row[];
  readonly showsAll: boolean;
  readonly isColored: boolean;
}
type Section = readonly ['red' | 'yellow' | 'green', title: string, readonly Row[], noteOf: (row: Row) => string];

export const keyOf = ({ method, path }: Row) => `${method} ${path}`;
export const isOpen = ({ verdict }: Row) => verdict === 'open' || verdict === 'openWithInput';
export const isUnknown = ({ verdict }: Row) => verdict === 'unclear' || verdict === 'unreached';
const beforeGuard = ({ early }: Row) => early.filter((name) => / answers$|^param\(/.test(name)).join(', ');
const refuserOf = ({ refuser, by }: Pick<Row, 'refuser' | 'by'>) => refuser || by || 'the app';

/** The worst section comes first. */
export function textOf({ rows, fresh, showsAll, isColored }: Report): string {
  const refused = rows.filter(({ verdict }) => verdict === 'refused');
  const places = countsOf(rows.map(({ place }) => place));
  const notes = (row: Row) => [
    row.isShape && `refused, but not as ${row.request}`,
    !row.isShape && refused.some(({ path }) => path === row.path) && 'refused for another method',
    row.ranTo !== undefined && `ran: ${row.ranTo}`,
    // A function around many handlers says nothing about one of them.
    (places.get(row.place) ?? 0) < 4 && row.place,
  ];
  const rankOf = (row: Row) => {
    const [isShape, isRefusedElsewhere] = notes(row);
    if (isShape || isRefusedElsewhere) return isShape ? 0 : 1;
    return /GET|USE/.test(row.method) ? (/[:*{]/.test(row.path) ? 3 : 4) : 2;
  };
  const open = fresh.filter(({ verdict }) => verdict === 'open').sort((one, other) => rankOf(one) - rankOf(other));
  const half = fresh.filter(({ verdict }) => verdict !== 'open');
  const checked = ({ by, refuser }: Row) => [by, refuser].filter((one) => one && one !== '<anonymous>').join(' in ');
  const unknown = ({ verdict, status, ...row }: Row) =>
    verdict === 'unclear' ? `${status || 'no answer'} from ${refuserOf(row)}` : 'no request reached it';
  const sections: readonly Section[] = [
    ['red', 'A stranger reaches the handler', open, (row) => notes(row).filter(Boolean).join('  ')],
    ['yellow', 'A stranger reaches the handler with the right input', half, (row) => `checked by ${checked(row)}`],
    ['yellow', 'Not known', rows.filter(isUnknown), unknown],
    ['yellow', 'Refused, but something of the route runs before the guard', refused.filter(beforeGuard), beforeGuard],
    ['green', 'Refused', showsAll ? refused : [], (row) => `${row.status} by ${refuserOf(row)}`],
  ];
  const width = Math.max(10, ...rows.map(({ path }) => path.length));
  const shown = sections.filter(([, , some]) => some.length > 0);
  const lines = shown.flatMap(([color, title, some, noteOf]) => [
    `${isColored ? styleText(color, title, { validateStream: false }) : title} (${some.length})`,
    ...some.map((row) => `  ${row.method.padEnd(6)} ${row.path.padEnd(width)}  ${noteOf(row)}`.trimEnd()),
    '',
  ]);
  const by = [...countsOf(refused.map(refuserOf))].map(([name, count]) => `${count} by ${name}`).join(', ');
  const accepted = rows.filter(isOpen).length - fresh.length;
  const sum = `${rows.length} routes: ${fresh.length} open${accepted ? `, ${accepted} accepted` : ''}, ${refused.length} refused`;
  return ['', ...lines, `${sum}${by && ` (${by})`}.\n`].join('\n');
}

/** The most frequent first. */
function countsOf(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return new Map([...counts].sort(([, one], [, other]) => other - one));
}
