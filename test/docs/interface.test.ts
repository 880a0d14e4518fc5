import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { readPage } from '../helpers/snippets.js';

const ROOT = path.resolve(__dirname, '../..');
const PAGE = 'docs/interface.md';

/** The texts of all sources, tests and pages, by their path. */
function readAll(): Map<string, string> {
  const folders = ['src', 'test', 'docs', 'bench', 'example-app/src'];
  const files = folders.flatMap((folder) =>
    fs
      .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => path.join(folder, file))
      .filter((file) => /\.(?:m?ts|mjs|md)$/.test(file) && !/(?:^|\/)(?:node_modules|dist|\.snippets)\//.test(file)),
  );
  const pages = fs.readdirSync(ROOT).filter((file) => file.endsWith('.md'));
  return new Map([...pages, ...files].map((file) => [file, readPage(file)]));
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

describe(PAGE, () => {
  const files = readAll();
  const numbers = numbersOf(readPage(PAGE));

  it('has the sections and rules of the interface, each under its number', () => {
    const rules = (section: string, count: number) =>
      Array.from({ length: count }, (_, index) => `${section}.${index + 1}`);
    const expected = ['1', '2', '2.1', '2.2', ...rules('2.2', 4), '2.3', '3', '4', '5', ...rules('5', 8)];
    expect(numbers).to.deep.equal([...expected, '6', '7', '8', '9']);
  });

  it('has every section and rule that another file refers to', () => {
    const referred = [...files].flatMap(([file, text]) =>
      [...text.matchAll(/docs\/interface\.md\s(?:[/*]*\s*)?(\d+(?:\.\d+)*)(?: and (\d+(?:\.\d+)*))?/g)].flatMap(
        ([, ...found]) => found.filter((number) => number !== undefined).map((number) => `${file}: ${number}`),
      ),
    );
    expect(referred).to.include('src/tokens/rules.ts: 5.4');
    expect(referred.filter((reference) => !numbers.includes(reference.split(': ')[1] ?? ''))).to.deep.equal([]);
  });

  it('is the page that files refer to, and not one that readers do not have', () => {
    const wrong = [...files].filter(([, text]) => /\b(?:SPEC|DESIGN|STYLE)\.md\b/.test(text));
    expect(wrong.map(([file]) => file)).to.deep.equal([]);
  });
});
