import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import path from 'node:path';
import { BARE, CONTROL, type Run } from './measure.js';
import { type Blocks, type Quartiles, quartilesOf, ratioOf } from './statistics.js';

const ROOT = path.resolve(__dirname, '../../..');
const PAGE = path.join(ROOT, 'bench/README.md');
const PACKAGES = [
  ...['express', 'express-jwt', 'express-oauth2-jwt-bearer', 'passport-jwt', 'passport-local', 'ajv', 'pg'],
  '@node-rs/argon2',
];
const ALLOWED = 0.05;

/** The measured columns of a table, for example `HS256`. */
export type Columns = Readonly<Record<string, Blocks>>;

/** A table of bench/README.md. */
export interface Row {
  /** The side that the others are compared with. */
  readonly reference: string;
  /** The least ratio to the reference, by column and side. */
  readonly targets: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly measure: (run: Run) => Promise<Columns>;
}

/** Formats three significant figures, or all digits before the point. */
function figure(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)));
}

/** Formats the median, with the quartiles where they differ from it. */
function spread({ lower, median, upper }: Quartiles): string {
  return lower === upper ? figure(median) : `${figure(median)} (${figure(lower)} to ${figure(upper)})`;
}

/** Makes a table with two columns for each measured one. */
export function tableOf({ reference }: Row, columns: Columns): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const titles = Object.keys(columns).flatMap((column) => [`${column}, µs`, `times ${reference}`]);
  const names = Object.keys(Object.values(columns)[0] ?? {}).filter((name) => name !== CONTROL);
  const rows = names.map((name) => {
    const cells = Object.values(columns).flatMap((blocks) => [
      figure(quartilesOf(blocks[name] ?? []).median),
      spread(ratioOf(blocks, name, reference)),
    ]);
    return line([name, ...cells]);
  });
  return [line(['', ...titles]), line(['---', ...titles.map(() => '--:')]), ...rows].join('\n');
}

/** Prints each target with its ratio. Returns false when one is missed. */
export function printTargets({ reference, targets }: Row, columns: Columns): boolean {
  const results = Object.entries(targets).flatMap(([column, sides]) =>
    Object.entries(sides).map(([name, least]) => {
      const ratio = ratioOf(columns[column] ?? {}, name, reference);
      const isMet = ratio.median >= least;
      console.log(`${isMet ? 'met    ' : 'NOT MET'} ${column}, ${name}: ${spread(ratio)}, target ${least}`);
      return isMet;
    }),
  );
  return results.every(Boolean);
}

/** Prints each column in which bare Express did not cost the same in both of its sides. Returns true without one. */
export function isQuiet(columns: Columns): boolean {
  const controls = Object.entries(columns).map(([column, blocks]) => ({ column, ...ratioOf(blocks, CONTROL, BARE) }));
  const disturbed = controls.filter(({ lower, upper }) => !(lower >= 1 - ALLOWED && upper <= 1 + ALLOWED));
  for (const { column, ...ratio } of disturbed) console.log(`TOO BUSY ${column}, ${CONTROL}: ${spread(ratio)}`);
  return disturbed.length === 0;
}

/** Describes versions and machine. Does not name the machine or its user. */
export function describeRun(version: string): string {
  const versions = PACKAGES.map((name) => {
    const file = path.join(ROOT, 'node_modules', name, 'package.json');
    return `${name} ${(JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version}`;
  });
  const machine = `${process.platform} ${process.arch}, ${cpus()[0]?.model ?? '-'}, ${availableParallelism()} cores`;
  return `Node.js ${version}, ${versions.join(', ')}. ${machine}.`;
}

/** Replaces the text between two markers of bench/README.md, so that nobody types a figure there. */
export function writeBlock(name: string, text: string): void {
  const block = new RegExp(`(?<=<!-- bench ${name} -->\n)[^]*(?=<!-- /bench ${name} -->)`);
  const page = readFileSync(PAGE, 'utf8');
  writeFileSync(
    PAGE,
    page.replace(block, () => `<!-- prettier-ignore -->\n${text}\n\n`),
  );
}
