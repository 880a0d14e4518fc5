import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import express, { type Express } from 'express';

const ROOT = path.resolve(__dirname, '../..');
const OUT = path.join(ROOT, 'test/docs/.snippets');

/** A fenced block of a page, with its language and file name. */
interface Block {
  readonly language: string;
  readonly file: string;
  readonly text: string;
}

export function readPage(page: string): string {
  return fs.readFileSync(path.join(ROOT, page), 'utf8');
}

export const GUIDES = fs
  .readdirSync(path.join(ROOT, 'docs'))
  .flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : []));

/** The pages that GitHub and npm show. */
export const PAGES = [
  ...['README.md', 'SECURITY.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'example-app/README.md'],
  ...['client/README.md', 'audit/README.md', 'bench/README.md'],
  ...GUIDES,
  'docs/fr/pour-les-marchands.md',
];

/** Returns the rows of a page's table whose first header is that text, as trimmed cells. Without a text, of all tables. */
export function rowsOf(page: string, firstHeader?: string): string[][] {
  const tables = [...readPage(page).matchAll(/^\|(.*)\|\n\| *-.*\n((?:\|.*\n)*)/gm)];
  const cellsOf = (row: string) => row.split('|').map((cell) => cell.trim());
  return tables.flatMap(([, head = '', rows = '']) => {
    const isChosen = firstHeader === undefined || cellsOf(head)[0] === firstHeader;
    return isChosen ? [...rows.matchAll(/^\|(.*)\|$/gm)].map(([, row = '']) => cellsOf(row)) : [];
  });
}

/** A comment that names the file on the first line: `// pay.mjs`, `# pay.py` or `<?php // pay.php`. */
const FILE_COMMENT = /^(?:<\?php )?(?:\/\/|#|--) ([\w./-]+\.\w+)\n/;

export function blocksOf(page: string): Block[] {
  const fences = readPage(page).matchAll(/^( *)```(\w+) ?(\S*)\n([\s\S]*?)^\1```$/gm);
  return [...fences].map(([, indent = '', language = '', info = '', lines = '']) => {
    const text = lines.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    return { language, file: info || (FILE_COMMENT.exec(text)?.[1] ?? ''), text };
  });
}

export function blockOf(page: string, name: string): string {
  const block = blocksOf(page).find(({ file }) => file === name);
  if (block === undefined) throw new Error(`${page} has no ${name}.`);
  return block.text;
}

function folderOf(page: string): string {
  return path.join(OUT, page.replace(/\.md$/, ''));
}

/**
 * Returns the blocks of a page that name a file, with the file of another page that the recipes import.
 * @public test/consumers/run.mjs loads it
 */
export function filesOf(page: string): Block[] {
  const blocks = blocksOf(page).filter(({ file }) => file !== '');
  const isAuth = ({ file }: Block) => file === 'auth.ts';
  return page === 'docs/recipes.md' ? [...blocks, ...blocksOf('docs/existing-app.md').filter(isAuth)] : blocks;
}

/** Writes the files of a page. There they can import the package. */
export function writeSnippets(page: string): string[] {
  fs.rmSync(folderOf(page), { recursive: true, force: true });
  return filesOf(page).map(({ file, text }) => writeSnippet(file, text, page));
}

/** Writes one more file beside the blocks of a page. */
export function writeSnippet(file: string, text: string, page = 'README.md'): string {
  const target = path.join(folderOf(page), file);
  fs.mkdirSync(path.dirname(target), { recursive: true });
  fs.writeFileSync(target, text);
  return target;
}

const COMPILER = path.join(ROOT, 'node_modules/@typescript/native/bin/tsc');

/** A strict project. `tsc --init` sets the second and the third option. */
const STRICT = [
  ...['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes'],
  // Node.js can strip types, but cannot compile parameter properties or enums.
  '--erasableSyntaxOnly',
  ...['--noEmit', '--allowJs', '--checkJs', 'false', '--skipLibCheck', '--esModuleInterop'],
  ...['--target', 'es2023', '--module', 'node20', '--types', 'node'],
];

export function complaintsAbout(files: string[]): string[] {
  const args = [COMPILER, '--ignoreConfig', '--pretty', 'false', ...STRICT, ...files.filter(isCode)];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  const complaints = stdout.split('\n').filter((line) => line !== '');
  if (status !== 0 && complaints.length === 0) throw new Error(`The compiler ended with ${status}: ${stderr}`);
  return complaints;
}

function isCode(file: string): boolean {
  return /\.m?[jt]s$/.test(file);
}

/** Loads a block of a page after `writeSnippets`. */
export function loadSnippet(file: string, page = 'README.md'): unknown {
  return createRequire(__filename)(path.join(folderOf(page), file));
}

/** Declares the tests of a block in this suite, with mocha in place of node:test, after `writeSnippets`. */
export function declareTests(file: string, page: string): void {
  writeSnippet(file, blockOf(page, file).replace("'node:test'", "'mocha'"), page);
  loadSnippet(file, page);
}

/** Runs a test of a page with node:test after `writeSnippets`. Returns its report in TAP. */
export function reportOf(file: string, page: string): string {
  const loader = pathToFileURL(path.join(ROOT, 'test/helpers/typescript.mjs')).href;
  const script = `require(${JSON.stringify(path.join(folderOf(page), file))})`;
  const args = ['--import', loader, '--test-reporter', 'tap', '--eval', script];
  return execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
}

let loads = 0;

/** Loads a block that ends in `app.listen(...)`. Returns the app, which does not listen. */
export async function loadApp(file: string, page = 'README.md'): Promise<Express> {
  const { application } = express as unknown as { application: { listen: unknown } };
  const { listen } = application;
  const apps: Express[] = [];
  application.listen = function (this: Express) {
    apps.push(this);
  };
  try {
    // Node.js runs a module once for each URL.
    loads += 1;
    if (file.endsWith('.mjs')) await import(`${pathToFileURL(path.join(folderOf(page), file)).href}?${loads}`);
    else loadSnippet(file, page);
  } finally {
    application.listen = listen;
  }
  const [app] = apps;
  if (app === undefined) throw new Error(`${file} called no app.listen`);
  return app;
}
