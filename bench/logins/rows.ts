import type { Problems } from '../harness/problems.js';
import type { Spread } from '../harness/statistics.js';
import { figure, spreadText, table } from '../harness/table.js';
import { type Bound, isWithin } from '../quick/targets.js';

/** A measured figure and its goal. A spread is judged by its median. */
export interface Row {
  readonly title: string;
  readonly measured: number | Spread;
  readonly goal: Bound;
}

/** Rows that were measured together. */
export interface Measured {
  readonly rows: readonly Row[];
  /** The failures, also those that a row counts. */
  readonly problems: Problems;
  /** For the progress line. */
  readonly summary: string;
}

export const atLeast = (value: number): Bound => ({ side: 'least', value });
export const atMost = (value: number): Bound => ({ side: 'most', value });

export function rowsTable(rows: readonly Row[]): string {
  const cells = rows.map(({ title, measured, goal }) => {
    const [value, text] =
      typeof measured === 'number' ? [measured, figure(measured)] : [measured.median, spreadText(measured)];
    const goalText = `${goal.side === 'least' ? '>=' : '<='} ${goal.value}`;
    return [title, text, goalText, isWithin(value, goal) ? 'met' : 'NOT MET'];
  });
  return table([['', 'measured', 'goal', ''], ...cells]);
}
