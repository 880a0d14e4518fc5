import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const DOCS = path.resolve(__dirname, '../../../docs');
const PAGE = path.join(DOCS, 'performance.md');

/**
 * Puts text between the two markers of a block, `<!-- name -->` and `<!-- /name -->`.
 * @throws Error when the page has no such block
 */
export function withBlock(page: string, name: string, text: string): string {
  const [opening, closing] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const from = page.indexOf(opening);
  const to = page.indexOf(closing);
  if (from < 0 || to < from) throw new Error(`The page has no block from ${opening} to ${closing}.`);
  return `${page.slice(0, from + opening.length)}\n\n${text}\n\n${page.slice(to)}`;
}

/** Writes what a run showed into docs/performance.md, so that no figure there is typed by hand. */
export async function writeBlock(name: string, markdown: string): Promise<void> {
  const { format, resolveConfig } = await import('prettier');
  const page = withBlock(readFileSync(PAGE, 'utf8'), name, markdown);
  writeFileSync(PAGE, await format(page, { ...(await resolveConfig(PAGE)), filepath: PAGE }));
}

/** Writes a picture that the page shows. */
export function writePicture(file: string, svg: string): void {
  writeFileSync(path.join(DOCS, file), `${svg}\n`);
}
