import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { blockOf, loadSnippet, readPage, writeSnippet } from '../helpers/snippets.js';

const PAGE = 'CONTRIBUTING.md';
const ROOT = path.resolve(__dirname, '../..');

// Declares the test that the page shows. It is in no suite, because the hooks of its helpers are for all suites.
const example = blockOf(PAGE, 'test/login/login.mistyped.test.ts').replaceAll("'../", "'../../../");
writeSnippet('example.test.ts', example, PAGE);
loadSnippet('example.test.ts', PAGE);

/** A rule of dependency-cruiser, whose patterns match paths of files. */
interface Rule {
  readonly name: string;
  readonly from: { readonly pathNot?: string };
  readonly to: { readonly pathNot?: string };
}

/** Returns the folders of src, in the order of the page. */
function foldersOnPage(): readonly string[] {
  const [, layout = ''] = /^src\/ .*\n((?: {2}.*\n)+)/m.exec(readPage(PAGE)) ?? [];
  return [...layout.matchAll(/\b([a-z]+)\/ /g)].map(([, name = '']) => name);
}

/** Returns the folders whose files a pattern matches. */
function foldersIn(folders: readonly string[], pattern = '^$'): readonly string[] {
  return folders.filter((folder) => new RegExp(pattern).test(`src/${folder}/file.ts`));
}

describe(PAGE, () => {
  it('names files that exist in src or test, as its picture does', () => {
    const files = (readPage(PAGE) + readPage('docs/queue.svg')).matchAll(/[`>](?:src\/)?([a-z]+\/[\w-]+\.ts)[`<]/g);
    const names = [...files].map(([, name = '']) => name);
    expect(names.length).to.be.greaterThan(30);
    const exists = (name: string) => ['src', 'test'].some((folder) => fs.existsSync(path.join(ROOT, folder, name)));
    expect(names.filter((name) => !exists(name))).to.deep.equal([]);
  });

  it('lists the folders of src', () => {
    const entries = fs.readdirSync(path.join(ROOT, 'src'), { withFileTypes: true });
    const existing = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect(foldersOnPage()).to.have.members(existing);
  });

  it('has these folders in an order in which imports go down only, and names those that import Express', async () => {
    const config = pathToFileURL(path.join(ROOT, '.dependency-cruiser.mjs')).href;
    const { forbidden } = ((await import(config)) as { default: { forbidden: readonly Rule[] } }).default;
    const rules = new Map(forbidden.map((rule) => [rule.name, rule]));
    const folders = foldersOnPage();
    for (const [index, folder] of folders.entries()) {
      const mayImport = rules.get(`layer-${folder}`)?.to.pathNot;
      expect(foldersIn(folders.slice(0, index + 1), mayImport), folder).to.deep.equal([folder]);
    }
    const [sentence = ''] = /Only [^.]* import Express\./.exec(readPage(PAGE)) ?? [];
    const named = [...sentence.matchAll(/`([a-z]+)`/g)].map(([, name]) => name);
    expect(named).to.have.members(foldersIn(folders, rules.get('package-express')?.from.pathNot));
  });

  it('has a script for the suites of a platform, with each folder of src except the entry points', () => {
    const { scripts } = JSON.parse(readPage('package.json')) as { scripts: Record<string, string> };
    const [, tested = ''] = /test\/\{([\w,]+)\}/.exec(scripts['test:platform'] ?? '') ?? [];
    const inner = foldersOnPage().filter((folder) => !fs.existsSync(path.join(ROOT, 'src', folder, 'index.ts')));
    expect(tested.split(',')).to.have.members(inner);
  });
});
