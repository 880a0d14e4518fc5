import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import path from 'node:path';
import type { TopLevelSpec } from 'vega-lite';
import { boundText, isCurrent, isMet, type Result, type Row } from './rows.js';
import type { Spread } from './statistics.js';

const ROOT = path.resolve(__dirname, '../../..');
const PAGE = path.join(ROOT, 'docs/performance.md');
const PEERS = ['express-jwt', 'express-oauth2-jwt-bearer', 'passport-jwt'];
const PACKAGES = ['express', ...PEERS, 'jsonwebtoken', '@node-rs/argon2'];

/** Formats three significant figures, or all digits before the point. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '-';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return value === 0 ? '0' : String(Number(value.toPrecision(3)));
}

/** Formats a median with its lowest and highest round. */
export function spread(value: Spread | undefined): string {
  if (value === undefined) return '-';
  const { median, lowest, highest } = value;
  return lowest === highest ? figure(median) : `${figure(median)} (${figure(lowest)} to ${figure(highest)})`;
}

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, column) => (column === 0 ? '---' : '--:'))), ...rows.map(line)].join('\n');
}

/** Returns the figures of a row in Markdown. */
export function pageOf({ page }: Row, results: readonly Result[]): string {
  if (page !== undefined) return page(results);
  const figures = results.flatMap((result) => Object.entries(result.figures));
  return figures.map(([name, value]) => `- ${name}: ${spread(value)}`).join('\n');
}

/** Prints each target with its figure. Returns false when one is missed. There are none for Node.js before 24. */
export function printTargets({ targets }: Row, result: Result): boolean {
  if (!isCurrent(result)) return true;
  const lines = Object.entries(targets).map(([name, bound]) => {
    const value = result.figures[name];
    return { isGood: isMet(bound, value), text: `${name}: ${spread(value)}, target ${boundText(bound)}` };
  });
  for (const { isGood, text } of lines) console.log(`${isGood ? 'met    ' : 'NOT MET'} ${text}`);
  return lines.every(({ isGood }) => isGood);
}

/** Describes versions and machine. Does not name the machine or its user. */
export function describeRun(): string {
  const versionIn = (folder: string) =>
    (JSON.parse(readFileSync(path.join(ROOT, folder, 'package.json'), 'utf8')) as { version: string }).version;
  const versions = PACKAGES.map((name) => `${name} ${versionIn(`node_modules/${name}`)}`);
  const load = `load ${loadavg()[0]?.toFixed(2) ?? '-'} before`;
  const machine = `${process.platform} ${process.arch}, ${cpus()[0]?.model ?? '-'}, ${availableParallelism()} cores, ${load}`;
  return `express-merchant-auth ${versionIn('.')}, ${versions.join(', ')}\n${machine}`;
}

/**
 * Replaces the text between two markers, `<!-- bench NAME -->` and `<!-- /bench NAME -->`. Prettier leaves it unpadded.
 * @throws Error when the page does not have the markers
 */
export function withBlock(page: string, name: string, text: string): string {
  const [opening, closing] = [`<!-- bench ${name} -->`, `<!-- /bench ${name} -->`];
  const [from, to] = [page.indexOf(opening), page.indexOf(closing)];
  if (from < 0 || to < from) throw new Error(`The page has no block from ${opening} to ${closing}.`);
  const block = `<!-- prettier-ignore-start -->\n\n${text}\n\n<!-- prettier-ignore-end -->`;
  return `${page.slice(0, from + opening.length)}\n\n${block}\n\n${page.slice(to)}`;
}

/** Writes a block of docs/performance.md, so that nobody types a figure there. */
export function writeBlock(name: string, text: string): void {
  writeFileSync(PAGE, withBlock(readFileSync(PAGE, 'utf8'), name, text));
}

/** Writes a picture beside the pages. */
export function writePicture(file: string, svg: string): void {
  writeFileSync(path.join(ROOT, 'docs', file), `${svg}\n`);
}

export async function drawSvg(spec: TopLevelSpec): Promise<string> {
  // Both are modules that only `import()` can load.
  const [vega, vegaLite] = await Promise.all([import('vega'), import('vega-lite')]);
  const config = { font: 'Helvetica, Arial, sans-serif', ...spec.config };
  const { spec: compiled } = vegaLite.compile({ background: 'white', padding: 16, ...spec, config });
  return new vega.View(vega.parse(compiled), { renderer: 'none' }).toSVG();
}
