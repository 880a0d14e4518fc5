import { spawnSync } from 'node:child_process';
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
});
