import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { loadSnippet, readPage, writeSnippet } from '../helpers/snippets.js';

const PAGE = 'CONTRIBUTING.md';
const ROOT = path.resolve(__dirname, '../..');

describe(PAGE, () => {
  describe('shows a test:', () => {
    const [, indented = ''] = /^ {2}```ts\n( {2}\/\/ test\/[\s\S]*?)^ {2}```$/m.exec(readPage(PAGE)) ?? [];
    writeSnippet('example.test.ts', indented.replace(/^ {2}/gm, '').replaceAll("'../", "'../../../"), PAGE);
    loadSnippet('example.test.ts', PAGE);
  });

  it('names files that exist in src or test', () => {
    const files = readPage(PAGE).matchAll(/`(?:src\/)?([a-z]+\/[\w-]+\.ts)`/g);
    const names = [...files].map(([, name = '']) => name);
    expect(names.length).to.be.greaterThan(30);
    const exists = (name: string) => ['src', 'test'].some((folder) => fs.existsSync(path.join(ROOT, folder, name)));
    expect(names.filter((name) => !exists(name))).to.deep.equal([]);
  });

  it('lists the folders of src so that each imports only those below or to the right', () => {
    const [, layout = ''] = /^src\/ .*\n((?: {2}.*\n)+)/m.exec(readPage(PAGE)) ?? [];
    const folders = [...layout.matchAll(/\b([a-z]+)\/ /g)].map(([, name = '']) => name);
    const files = fs.readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
    const inFolders = files.filter((name) => name.includes(path.sep) && /\.m?ts$/.test(name));
    expect(folders).to.have.members([...new Set(inFolders.map((name) => name.split(path.sep)[0]))]);
    for (const name of inFolders) {
      const [folder = ''] = name.split(path.sep);
      const text = fs.readFileSync(path.join(ROOT, 'src', name), 'utf8');
      for (const [, imported = ''] of text.matchAll(/ from '(?:\.\.\/)+([a-z]+)\//g)) {
        if (!folders.includes(imported)) continue;
        expect(folders.indexOf(imported), `${name} imports ${imported}`).to.be.at.least(folders.indexOf(folder));
      }
    }
  });
});
