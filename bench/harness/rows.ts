import type { NodeLine } from './processes.js';
import type { Quartiles } from './statistics.js';

/** The limit of a figure, inclusive. */
export type Bound = { readonly atLeast: number } | { readonly atMost: number };

/** The figures of a row by name, for example `HS256, processor time of express-jwt over complete guard`. */
export type Figures = Readonly<Record<string, Quartiles>>;

/** Wrong responses and other failures, and how often they came. */
export type Problems = Record<string, number>;

export interface Run {
  /** Runs the servers. */
  readonly node: NodeLine;
  readonly blocks: number;
  /** A row adds its failures. */
  readonly problems: Problems;
}

export interface Row {
  /** One line for the help. */
  readonly measures: string;
  /** The targets of the team by the name of a figure, on Node.js 24 and later. bench/README.md lists them. */
  readonly targets: Readonly<Record<string, Bound>>;
  readonly measure: (run: Run) => Promise<Figures>;
  /** Returns the figures in Markdown. Default: a list. */
  readonly table?: (figures: Figures) => string;
  /** Writes the table into docs/performance.md. */
  readonly isOnPage?: boolean;
}

/** Returns true for the lines of Node.js that have targets. */
export const isCurrent = ({ version }: Pick<NodeLine, 'version'>) => Number.parseInt(version, 10) >= 24;

/** Returns false when the figure is missing, or was divided by zero. */
export function isMet(bound: Bound, figure: Quartiles | undefined): boolean {
  const value = figure?.median ?? Number.NaN;
  return Number.isFinite(value) && ('atLeast' in bound ? value >= bound.atLeast : value <= bound.atMost);
}

export function boundText(bound: Bound): string {
  return 'atLeast' in bound ? `at least ${bound.atLeast}` : `at most ${bound.atMost}`;
}
