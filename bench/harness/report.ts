import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import path from 'node:path';
import type { NodeLine } from './processes.js';
import { boundText, type Figures, isMet, type Row } from './rows.js';
import type { Quartiles } from './statistics.js';

const ROOT = path.resolve(__dirname, '../../..');
const PAGE = path.join(ROOT, 'docs/performance.md');
const PEERS = ['express-jwt', 'express-oauth2-jwt-bearer', 'passport-jwt'];
const PACKAGES = ['express', ...PEERS, 'pg', 'mysql2', '@node-rs/argon2'];

export const NOT_MEASURED = 'not measured yet';

/** Formats three significant figures, or all digits before the point. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '-';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return value === 0 ? '0' : String(Number(value.toPrecision(3)));
}

/** Formats the median, with the quartiles where they differ from it. */
export function spread(value: Quartiles | undefined): string {
  if (value === undefined) return '-';
  const { lower, median, upper } = value;
  return lower === upper ? figure(median) : `${figure(median)} (${figure(lower)} to ${figure(upper)})`;
}

export function medianText(value: Quartiles | undefined): string {
  return figure(value?.median ?? Number.NaN);
}

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, column) => (column === 0 ? '---' : '--:'))), ...rows.map(line)].join('\n');
}

/** Returns the figures of a row in Markdown. */
export function textOf({ table }: Row, figures: Figures): string {
  if (table !== undefined) return table(figures);
  return Object.entries(figures)
    .map(([name, value]) => `- ${name}: ${spread(value)}`)
    .join('\n');
}

/** Prints each target with its figure. Returns false when one is missed. */
export function printTargets(targets: Row['targets'], figures: Figures): boolean {
  const lines = Object.entries(targets).map(([name, bound]) => {
    const value = figures[name];
    return { isGood: isMet(bound, value), text: `${name}: ${spread(value)}, target ${boundText(bound)}` };
  });
  for (const { isGood, text } of lines) console.log(`${isGood ? 'met    ' : 'NOT MET'} ${text}`);
  return lines.every(({ isGood }) => isGood);
}

/** Describes versions and machine. Does not name the machine or its user. */
export function describeRun({ version }: NodeLine): string {
  const versionIn = (folder: string) =>
    (JSON.parse(readFileSync(path.join(ROOT, folder, 'package.json'), 'utf8')) as { version: string }).version;
  const versions = PACKAGES.map((name) => `${name} ${versionIn(`node_modules/${name}`)}`);
  const machine = `${process.platform} ${process.arch}, ${cpus()[0]?.model ?? '-'}, ${availableParallelism()} cores`;
  return `Node.js ${version}, ${versions.join(', ')}. ${machine}.`;
}

/**
 * Replaces the text between two markers, `<!-- bench NAME -->` and `<!-- /bench NAME -->`. Prettier does not pad its table.
 * @throws Error when the page does not have the markers
 */
export function withBlock(page: string, name: string, text: string): string {
  const [opening, closing] = [`<!-- bench ${name} -->`, `<!-- /bench ${name} -->`];
  const [from, to] = [page.indexOf(opening), page.indexOf(closing)];
  if (from < 0 || to < from) throw new Error(`The page has no block from ${opening} to ${closing}.`);
  return `${page.slice(0, from + opening.length)}\n<!-- prettier-ignore -->\n${text}\n\n${page.slice(to)}`;
}

/** Writes a block of docs/performance.md, so that nobody types a figure there. */
export function writeBlock(name: string, text: string): void {
  writeFileSync(PAGE, withBlock(readFileSync(PAGE, 'utf8'), name, text));
}
