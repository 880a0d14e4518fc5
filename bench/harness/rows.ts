import type { NodeLine } from './processes.js';
import type { Spread } from './statistics.js';

/** The limit of a figure, inclusive. */
export type Bound = { readonly atLeast: number } | { readonly atMost: number };

/** The figures of a row by name, for example `HS256, complete guard over bare Express`. */
export type Figures = Readonly<Record<string, Spread>>;

/** Wrong responses and other failures, and how often they came. */
export type Problems = Record<string, number>;

export interface Run {
  /** Runs the servers. */
  readonly node: NodeLine;
  readonly rounds: number;
  /** A row adds its failures. */
  readonly problems: Problems;
}

/** The figures of a row on one line of Node.js. */
export interface Result {
  readonly version: string;
  readonly figures: Figures;
}

export interface Row {
  /** One line for the help. */
  readonly measures: string;
  /** The targets of the team by the name of a figure, on Node.js 24 and later. bench/README.md lists them. */
  readonly targets: Readonly<Record<string, Bound>>;
  /** Returns true when a program that the row needs is not installed. The row is then skipped. */
  readonly isMissing?: () => boolean;
  readonly measure: (run: Run) => Promise<Figures>;
  /** Measures on each line of `--node`. Default: on the first one. */
  readonly onEachNode?: boolean;
  /** Returns the figures in Markdown. Default: a list. */
  readonly page?: (results: readonly Result[]) => string;
  /** Draws a picture of docs/performance.md. */
  readonly picture?: { readonly file: string; readonly draw: (results: readonly Result[]) => Promise<string> };
  /** Leaves the figures out of docs/performance.md. */
  readonly isOffPage?: boolean;
}

export function majorOf({ version }: Pick<NodeLine, 'version'>): number {
  return Number.parseInt(version, 10);
}

/** Returns true for the lines of Node.js that have targets. */
export const isCurrent = (line: Pick<NodeLine, 'version'>) => majorOf(line) >= 24;

/** Returns false when the figure is missing, or was divided by zero. */
export function isMet(bound: Bound, figure: Spread | undefined): boolean {
  const value = figure?.median ?? Number.NaN;
  return Number.isFinite(value) && ('atLeast' in bound ? value >= bound.atLeast : value <= bound.atMost);
}

export function boundText(bound: Bound): string {
  return 'atLeast' in bound ? `at least ${bound.atLeast}` : `at most ${bound.atMost}`;
}

/** Gives each figure the same bound. */
export function each(names: readonly string[], bound: Bound): Record<string, Bound> {
  return Object.fromEntries(names.map((name) => [name, bound]));
}
