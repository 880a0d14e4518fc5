import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { blockOf, loadSnippet, readPage, writeSnippet } from '../helpers/snippets.js';

const PAGE = 'CONTRIBUTING.md';
const ROOT = path.resolve(__dirname, '../..');

// Declares the test that the page shows. It is in no suite, because the hooks of its helpers are for all suites.
const example = blockOf(PAGE, 'test/login/login.mistyped.test.ts').replaceAll("'../", "'../../../");
writeSnippet('example.test.ts', example, PAGE);
loadSnippet('example.test.ts', PAGE);

describe(PAGE, () => {
  it('names files that exist in src or test', () => {
    const files = readPage(PAGE).matchAll(/`(?:src\/)?([a-z]+\/[\w-]+\.ts)`/g);
    const names = [...files].map(([, name = '']) => name);
    expect(names.length).to.be.greaterThan(30);
    const exists = (name: string) => ['src', 'test'].some((folder) => fs.existsSync(path.join(ROOT, folder, name)));
    expect(names.filter((name) => !exists(name))).to.deep.equal([]);
  });

  it('lists the folders of src', () => {
    const [, layout = ''] = /^src\/ .*\n((?: {2}.*\n)+)/m.exec(readPage(PAGE)) ?? [];
    const folders = [...layout.matchAll(/\b([a-z]+)\/ /g)].map(([, name = '']) => name);
    const entries = fs.readdirSync(path.join(ROOT, 'src'), { withFileTypes: true });
    const existing = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect(folders).to.have.members(existing);
  });
});
