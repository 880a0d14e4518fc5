import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { readPage, writeSnippet } from '../helpers/snippets.js';

const ROOT = path.resolve(__dirname, '../..');

describe('CONTRIBUTING.md', () => {
  it('shows a test that passes', () => {
    const page = readPage('CONTRIBUTING.md');
    const [, indented = ''] = /^ {2}```ts\n( {2}\/\/ test\/[\s\S]*?)^ {2}```$/m.exec(page) ?? [];
    const example = indented.replace(/^ {2}/gm, '').replaceAll("'../", "'../../../");
    const file = writeSnippet('example.test.ts', example, 'CONTRIBUTING.md');
    const mocha = path.join(ROOT, 'node_modules/mocha/bin/mocha.js');
    const options = { cwd: ROOT, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } } as const;
    const { stdout, stderr } = spawnSync(process.execPath, [mocha, '--no-color', file], options);
    expect(stdout, stderr).to.contain('✔ waits a minute after two failures').and.contain('1 passing');
  });

  it('names files that exist in src or test', () => {
    const files = readPage('CONTRIBUTING.md').matchAll(/`(?:src\/)?([a-z]+\/[\w-]+\.ts)`/g);
    const names = [...files].map(([, name = '']) => name);
    expect(names.length).to.be.greaterThan(30);
    const exists = (name: string) => ['src', 'test'].some((folder) => fs.existsSync(path.join(ROOT, folder, name)));
    expect(names.filter((name) => !exists(name))).to.deep.equal([]);
  });

  it('lists the folders of src so that each imports only those below or to the right', () => {
    const [, layout = ''] = /^src\/ .*\n((?: {2}.*\n)+)/m.exec(readPage('CONTRIBUTING.md')) ?? [];
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
