import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { readPage } from '../helpers/snippets.js';

const ROOT = path.resolve(__dirname, '../..');
const PAGE = 'docs/interface.md';

/** Folders whose files are installed or made. */
const SKIPPED = new Set(['.git', '.snippets', 'build', 'coverage', 'dist', 'generated', 'node_modules']);
const TEXT = /\.(?:m?[jt]s|c?json|md|sh|sql|svg|ya?ml)$/;

/** Returns the paths of all text files below a folder, from the root of the repository. */
function filesBelow(folder: string): string[] {
  return fs.readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : filesBelow(file);
    return TEXT.test(file) || folder === '.ci' ? [file] : [];
  });
}

/** The numbers of the page's sections and of the rules in them: 5, 2.2, 5.6, 2.2.1. */
function numbersOf(page: string): string[] {
  const numbers: string[] = [];
  let section = '';
  for (const line of page.split('\n')) {
    const heading = /^#{2,3} (\d+(?:\.\d+)*)/.exec(line)?.[1];
    const rule = /^(\d+)\. /.exec(line)?.[1];
    if (heading !== undefined) numbers.push((section = heading));
    if (rule !== undefined) numbers.push(`${section}.${rule}`);
  }
  return numbers;
}

/** `interface.md 5.4 and 8`, as text or as a link, even over the end of a line of a comment. */
const REFERENCE = /interface\.md\)?(?:\s|\\n)(?:[ /*#]*\s*)?(\d+(?:\.\d+)*(?:(?:,| and|, and) \d+(?:\.\d+)*)*)/g;

/** The numbers to which a text refers. */
function referencesIn(text: string): string[] {
  return [...text.matchAll(REFERENCE)].flatMap(([, numbers = '']) => numbers.match(/\d+(?:\.\d+)*/g) ?? []);
}

describe(PAGE, () => {
  const files = new Map(filesBelow('.').map((file) => [file, readPage(file)]));
  const numbers = numbersOf(readPage(PAGE));

  it('has every section and rule that another file refers to', () => {
    const referred = [...files].flatMap(([file, text]) =>
      referencesIn(text).map((number) => ({ file, number, exists: numbers.includes(number) })),
    );
    const folders = new Set(referred.map(({ file }) => file.split(path.sep)[0]));
    expect(folders).to.include.all.keys('src', 'test', 'docs');
    expect(referred.filter(({ exists }) => !exists)).to.deep.equal([]);
  });
});
